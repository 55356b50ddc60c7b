/** A recording of the system's user_events into a perf.data file, from start to end. */
import { hostname, machine, release } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecorderCounts, requireRecorderPlatform } from '../platform/recorder.ts';
import { systemErrorName } from '../platform/recorder-reasons.ts';
import type { RecordedEvent, RecordingFacts, StartFacts } from '../wire/perf-data/write/features.ts';
import { announcement } from '../wire/perf-data/write/pipe.ts';
import { lostRecord } from '../wire/perf-data/write/records.ts';
import { tracingData } from '../wire/perf-data/write/tracing-data.ts';
import type { CpuOptions } from './cpu-sampling.ts';
import { type EventRecorder, type OpenedRecorder, openCpuRecorder, openRecorder } from './event-recorder.ts';
import type { NoticesOptions } from './notice-server.ts';
import { processors } from './processors.ts';
import { type RecordedTracepoint, RecordedTracepoints } from './recorded-tracepoints.ts';
import { type FileOwner, RecordingFile } from './recording-file.ts';
import type { TracefsFiles } from './tracefs.ts';
import { tracepointFormats } from './tracepoint-formats.ts';
import type { Selection } from './tracepoint-selection.ts';
import { TracepointWatch } from './tracepoint-watch.ts';

/** How often to check whether the recorder has ended. */
const END_POLL_MS = 5;

export interface RecordingOptions {
  readonly file: string;
  readonly selection: Selection;
  /** Ring size per processor, in bytes: a power of two, at least a page. */
  readonly ringSize: number;
  /** Stored in the file. */
  readonly commandLine: readonly string[];
  /** Of the program that records. */
  readonly version: string;
  /** The owner of the file, if different from this user. */
  readonly owner?: FileOwner;
  /** To sample the CPU as well. */
  readonly cpu?: CpuOptions;
  /** The user whose programs announce their tracepoints, if any. */
  readonly programsOf?: NoticesOptions['user'];
}

export interface RecordingResult {
  readonly events: number;
  readonly cpuSamples: number;
  /** Of all records in the file. */
  readonly bytes: number;
  /** Records for which the kernel had no room. */
  readonly lost: number;
  /** Names of the tracepoints, with their systems. */
  readonly tracepoints: readonly string[];
  /** Which tracepoints cannot be recorded at all, as a sentence. */
  readonly unrecordable: string | undefined;
  /** The problems, in sentences. Apart from these, the file is complete. */
  readonly problems: readonly string[];
}

export class Recording {
  readonly #opened: OpenedRecorder;
  readonly #recorder: EventRecorder;
  readonly #tracefs: TracefsFiles;
  readonly #tracepoints: RecordedTracepoints;
  readonly #file: RecordingFile;
  readonly #facts: StartFacts;
  #watch: TracepointWatch | undefined;
  #hasStarted = false;

  private constructor({ file, selection, ringSize, commandLine, version, owner, cpu }: RecordingOptions) {
    requireRecorderPlatform();
    const cpus = processors('online');
    this.#opened =
      cpu === undefined
        ? openRecorder(cpus, ringSize)
        : openCpuRecorder(cpu, cpus, ringSize, selection.tracepoints.length > 0);
    const { recorder, tracefs, descriptors } = this.#opened;
    this.#recorder = recorder;
    this.#tracefs = tracefs;
    this.#tracepoints = new RecordedTracepoints(recorder, tracefs, selection, descriptors, (each) => {
      if (this.#hasStarted) this.#announce(each);
    });
    this.#tracepoints.addNamed();
    this.#facts = {
      hostname: hostname(),
      osRelease: release(),
      version,
      arch: machine(),
      cpus: { available: processors('present').length, online: cpus.length },
      commandLine,
      clock: recorder.clocks(),
    };
    this.#file = new RecordingFile(file, owner);
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

  /** Where our programs announce their new tracepoints: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#watch?.address ?? '';
  }

  /** What is unusual about it, in sentences. */
  get notices(): readonly string[] {
    return this.#opened.notices;
  }

  /** So far. Done before `stop` was called means that writing the file failed. */
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
    const { events, cpuSamples, bytes, lost, lostInFile, error, lastTime } = this.counts;
    const problems = [...this.#tracepoints.problems, ...this.#opened.problems];
    // The kernel reports losses with the next record for which it has room, and so not the last ones.
    const untold = error === 0 ? lost - lostInFile : 0;
    const id = this.#recorder.sideBand.ids[0] ?? 0n;
    const last = untold > 0 ? lostRecord(id, untold, lastTime) : new Uint8Array(0);
    const isWhole = this.#file.end(this.#endFacts(), last);
    if (error !== 0 || !isWhole) {
      const name = error === 0 ? 'ENOSPC' : systemErrorName(error);
      problems.push(`Writing ${this.#file.path} failed (${name}): it has the beginning of the recording.`);
    }
    const tracepoints = this.#tracepoints.all.map(({ event }) => event.name);
    const { unrecordable } = this.#tracepoints;
    return { events, cpuSamples, bytes, lost, tracepoints, unrecordable, problems };
  }

  /** Makes the tracepoint known to readers before its first event, however the recording ends. */
  #announce(tracepoint: RecordedTracepoint): void {
    if (this.#describe([...this.#tracepoints.all, tracepoint])) return;
    const formats = tracingData(tracepointFormats(this.#tracefs, [tracepoint]));
    const records = announcement(tracepoint.event, formats);
    this.#file.hasAnnouncement(this.#recorder.append(records), records.length);
  }

  #describe(tracepoints: readonly RecordedTracepoint[]): boolean {
    const events = [...this.#untracedEvents, ...tracepoints.map(({ event }) => event)];
    return this.#file.describe(events, tracepointFormats(this.#tracefs, tracepoints));
  }

  /** Those that are not tracepoints. */
  get #untracedEvents(): readonly RecordedEvent[] {
    const { cpu } = this.#opened;
    return [this.#recorder.sideBand, ...(cpu === undefined ? [] : [cpu.event])];
  }

  #begin(programsOf: RecordingOptions['programsOf']): void {
    const file = this.#file;
    file.begin(this.#facts);
    if (!this.#describe(this.#tracepoints.all)) this.#describe([]);
    for (const record of this.#opened.names) file.append(record);
    this.#recorder.start(file.descriptor);
    this.#hasStarted = true;
    this.#opened.cpu?.begin();
    this.#watch = new TracepointWatch(this.#tracepoints, this.#tracefs, programsOf);
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

  #endFacts(): RecordingFacts {
    const { firstTime, lastTime } = this.counts;
    const events = this.#tracepoints.all.map(({ event }) => event);
    const threads = this.#tracefs.read('saved_cmdlines');
    return {
      ...this.#facts,
      tracingData: tracingData(tracepointFormats(this.#tracefs, this.#tracepoints.all, threads)),
      events: [...events, ...this.#untracedEvents],
      sampleTime: { first: firstTime, last: lastTime },
    };
  }
}
