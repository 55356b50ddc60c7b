/** A recording of the whole system's user events into a perf.data file, from its start to its end. */
import { hostname, machine, release } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClockPair, type RecorderCounts, requireRecorderPlatform } from '../../platform/recorder.ts';
import { systemErrorName } from '../../platform/recorder-reasons.ts';
import type { RecordingFacts } from '../../wire/perf-data/write/features.ts';
import { lostRecord } from '../../wire/perf-data/write/records.ts';
import { type EventRecorder, type OpenedRecorder, openRecorder } from './event-recorder.ts';
import { processors } from './processors.ts';
import { RecordedTracepoints } from './recorded-tracepoints.ts';
import { RecordingFile } from './recording-file.ts';
import type { Selection } from './selection.ts';
import { Tracefs } from './tracefs.ts';
import { tracepointFormats } from './tracepoint-formats.ts';
import { TracepointWatch } from './tracepoint-watch.ts';

/** How often it is asked whether the recorder has ended. */
const END_POLL_MS = 5;

export interface RecordingOptions {
  readonly file: string;
  readonly selection: Selection;
  /** Of each processor's ring, in bytes: a power of two, at least a page. */
  readonly ringSize: number;
  /** Told in the file. */
  readonly commandLine: readonly string[];
  /** Of the program that records. */
  readonly version: string;
}

export interface RecordingResult {
  readonly events: number;
  /** Of all records in the file. */
  readonly bytes: number;
  /** Records that the kernel had no room for. */
  readonly lost: number;
  /** Names of the tracepoints, with their systems. */
  readonly tracepoints: readonly string[];
  /** What went wrong, in sentences. The file is complete all the same, up to where they say. */
  readonly problems: readonly string[];
}

export class Recording {
  readonly #opened: OpenedRecorder;
  readonly #recorder: EventRecorder;
  readonly #tracefs: Tracefs;
  readonly #tracepoints: RecordedTracepoints;
  readonly #file: RecordingFile;
  readonly #clock: ClockPair;
  readonly #options: RecordingOptions;
  readonly #cpus: readonly number[];
  #watch: TracepointWatch | undefined;

  private constructor(options: RecordingOptions) {
    requireRecorderPlatform();
    this.#options = options;
    this.#tracefs = new Tracefs();
    this.#cpus = processors('online');
    this.#opened = openRecorder(this.#tracefs, this.#cpus, options.ringSize);
    this.#recorder = this.#opened.recorder;
    this.#tracepoints = new RecordedTracepoints(this.#recorder, this.#tracefs, options.selection);
    this.#tracepoints.addNamed();
    this.#file = new RecordingFile(options.file);
    for (const record of this.#opened.names) this.#file.append(record);
    this.#clock = this.#recorder.start(this.#file.descriptor);
  }

  /**
   * When this returns, what is selected and there is recorded.
   *
   * @throws RecorderError
   */
  static async start(options: RecordingOptions): Promise<Recording> {
    const recording = new Recording(options);
    recording.#watch = await TracepointWatch.start(recording.#tracepoints);
    return recording;
  }

  /** Where programs of ours tell of their new tracepoints: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#watch?.address ?? '';
  }

  /** What is unusual about it, in a sentence, or nothing. */
  get notice(): string | undefined {
    return this.#opened.notice;
  }

  /** So far. Done before `stop` was called: the file could not be written on. */
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
    this.#recorder.stop();
    while (!this.counts.done) await sleep(END_POLL_MS);
    const { events, bytes, lost, lostInFile, error, lastTime } = this.counts;
    const problems = [...this.#tracepoints.problems, ...this.#opened.problems];
    // The kernel tells of losses with the next record that it has room for; of the last ones, nothing.
    const untold = error === 0 ? lost - lostInFile : 0;
    const id = this.#recorder.sideBand.ids[0] ?? 0n;
    const last = untold > 0 ? lostRecord(id, untold, lastTime) : new Uint8Array(0);
    const isWhole = this.#file.end(this.#facts(), last);
    if (error !== 0 || !isWhole) {
      const name = error === 0 ? 'ENOSPC' : systemErrorName(error);
      problems.push(
        `${this.#file.path} could not be written on (${name}): it has the beginning of what was recorded.`,
      );
    }
    const tracepoints = this.#tracepoints.all.map(({ event }) => event.name);
    return { events, bytes, lost, tracepoints, problems };
  }

  #facts(): RecordingFacts {
    const { firstTime, lastTime } = this.counts;
    const events = this.#tracepoints.all.map(({ event }) => event);
    return {
      tracingData: tracepointFormats(this.#tracefs, this.#tracepoints.all),
      hostname: hostname(),
      osRelease: release(),
      version: this.#options.version,
      arch: machine(),
      cpus: { available: processors('present').length, online: this.#cpus.length },
      commandLine: this.#options.commandLine,
      events: [...events, this.#recorder.sideBand],
      sampleTime: { first: firstTime, last: lastTime },
      clock: this.#clock,
    };
  }
}
