/** A recording of the system's user_events into a perf.data file, from start to end. */

import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorName } from '../base/system-code.ts';
import type { RecorderCounts } from '../platform/addon-functions.ts';
import { announcement } from '../wire/perf-data/write/pipe.ts';
import { lostRecord } from '../wire/perf-data/write/records.ts';
import { tracingData } from '../wire/perf-data/write/tracing-data.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { RecordedTracepoint, RecordedTracepoints } from './recorded-tracepoints.ts';
import { RecordingFile } from './recording-file.ts';
import { type RecordingOptions, type RecordingResult, RecordingSetup } from './recording-setup.ts';
import { tracepointFormats } from './tracepoint-formats.ts';
import { TracepointWatch } from './tracepoint-watch.ts';

/** How often to check whether the recorder has ended. */
const END_POLL_MS = 5;

export class Recording {
  readonly #setup: RecordingSetup;
  readonly #recorder: EventRecorder;
  readonly #tracepoints: RecordedTracepoints;
  readonly #file: RecordingFile;
  #watch: TracepointWatch | undefined;
  #hasStarted = false;

  private constructor(options: RecordingOptions) {
    this.#setup = new RecordingSetup(options, false, (tracepoint) => {
      if (this.#hasStarted) this.#announce(tracepoint);
    });
    this.#recorder = this.#setup.recorder;
    this.#tracepoints = this.#setup.tracepoints;
    this.#file = new RecordingFile(options.file, options.owner);
  }

  /**
   * When this returns, everything selected that exists is being recorded.
   *
   * @throws RecorderError
   */
  static async start(options: RecordingOptions): Promise<Recording> {
    const recording = new Recording(options);
    try {
      recording.#begin(options.programsOf);
      return recording;
    } catch (error) {
      await recording.#abandon();
      throw error;
    }
  }

  /** Our programs announce their new tracepoints here: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#watch?.address ?? '';
  }

  /** What is unusual about it, in sentences. */
  get notices(): readonly string[] {
    return this.#setup.notices;
  }

  /** The counts so far. If they are done before `stop` was called, writing the file failed. */
  get counts(): RecorderCounts {
    return this.#recorder.counts();
  }

  /**
   * Ends the recording and its file.
   *
   * @throws RecorderError
   */
  async stop(): Promise<RecordingResult> {
    this.#watch?.stop();
    await this.#end();
    const { lost, lostInFile, error, lastTime } = this.counts;
    const problems = [...this.#setup.problems];
    // The kernel reports losses with the next record for which it has room, and so not the last ones.
    const untold = error === 0 ? lost - lostInFile : 0;
    const id = this.#recorder.sideBand.ids[0] ?? 0n;
    const last = untold > 0 ? lostRecord(id, untold, lastTime) : new Uint8Array(0);
    const isWhole = this.#file.end(this.#setup.endFacts(this.counts), last);
    if (error !== 0 || !isWhole) {
      const name = error === 0 ? 'ENOSPC' : systemErrorName(error);
      problems.push(`Writing ${this.#file.path} failed (${name}): it has the beginning of the recording.`);
    }
    return this.#setup.result(problems, error === 0 && isWhole);
  }

  /** Makes the tracepoint known to readers before its first event, however the recording ends. */
  #announce(tracepoint: RecordedTracepoint): void {
    if (this.#describe([...this.#tracepoints.all, tracepoint])) return;
    const formats = tracingData(tracepointFormats(this.#setup.tracefs, [tracepoint]));
    const records = announcement(tracepoint.event, formats);
    this.#file.hasAnnouncement(this.#recorder.append(records), records.length);
  }

  #describe(tracepoints: readonly RecordedTracepoint[]): boolean {
    const events = [...this.#setup.otherEvents, ...tracepoints.map(({ event }) => event)];
    return this.#file.describe(events, tracepointFormats(this.#setup.tracefs, tracepoints));
  }

  #begin(programsOf: RecordingOptions['programsOf']): void {
    const file = this.#file;
    file.begin(this.#setup.facts);
    if (!this.#describe(this.#tracepoints.all)) this.#describe([]);
    for (const record of this.#setup.names()) file.append(record);
    this.#recorder.start(file.descriptor);
    this.#hasStarted = true;
    this.#setup.cpu?.begin();
    this.#watch = new TracepointWatch(this.#tracepoints, this.#setup.tracefs, programsOf);
    file.take();
  }

  async #abandon(): Promise<void> {
    this.#watch?.stop();
    if (this.#hasStarted) await this.#end();
    this.#file.abandon();
  }

  async #end(): Promise<void> {
    this.#recorder.stop();
    while (!this.counts.done) await sleep(END_POLL_MS);
  }
}
