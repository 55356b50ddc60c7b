/** A recording of the whole system's user events into a perf.data file, from its start to its end. */
import { readFileSync } from 'node:fs';
import { hostname, machine, release } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClockPair, Recorder, type RecorderCounts } from '../../platform/recorder.ts';
import { systemErrorName } from '../../platform/recorder-reasons.ts';
import type { RecordingFacts } from '../../wire/perf-data/write/features.ts';
import { lostRecord } from '../../wire/perf-data/write/records.ts';
import { tracingData } from '../../wire/perf-data/write/tracing-data.ts';
import { Notices } from './notices.ts';
import { processors } from './processors.ts';
import { RecordedTracepoints } from './recorded-tracepoints.ts';
import { RecordingFile } from './recording-file.ts';
import { type Selection, USER_EVENTS } from './selection.ts';
import { threadNames } from './threads.ts';
import { Tracefs } from './tracefs.ts';

/** How often it looks for tracepoints of programs that do not tell of theirs. tracefs tells of no changes. */
const SCAN_MS = 50;
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
  readonly #recorder: Recorder;
  readonly #tracefs: Tracefs;
  readonly #tracepoints: RecordedTracepoints;
  readonly #file: RecordingFile;
  readonly #clock: ClockPair;
  readonly #options: RecordingOptions;
  readonly #cpus: readonly number[];
  #notices: Notices | undefined;
  #scan: NodeJS.Timeout | undefined;

  private constructor(options: RecordingOptions) {
    this.#options = options;
    this.#tracefs = new Tracefs();
    this.#cpus = processors('online');
    this.#recorder = new Recorder(this.#cpus, options.ringSize);
    this.#tracepoints = new RecordedTracepoints(this.#recorder, this.#tracefs, options.selection);
    this.#tracepoints.addNamed();
    this.#file = new RecordingFile(options.file);
    for (const record of threadNames()) this.#file.append(record);
    this.#clock = this.#recorder.start(this.#file.descriptor);
    this.#tracepoints.scan();
  }

  /**
   * When this returns, what is selected and there is recorded.
   *
   * @throws RecorderError
   */
  static async start(options: RecordingOptions): Promise<Recording> {
    const recording = new Recording(options);
    recording.#notices = await Notices.listen((name) => {
      recording.#tracepoints.look({ system: USER_EVENTS, name });
    });
    recording.#scan = setInterval(() => recording.#tracepoints.scan(), SCAN_MS);
    return recording;
  }

  /** Where programs of ours tell of their new tracepoints: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#notices?.address ?? '';
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
    clearInterval(this.#scan);
    this.#notices?.close();
    this.#recorder.stop();
    while (!this.counts.done) await sleep(END_POLL_MS);
    const { events, bytes, lost, lostInFile, error, lastTime } = this.counts;
    const problems = [...this.#tracepoints.problems];
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
      tracingData: this.#tracingData(),
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

  #tracingData(): Uint8Array {
    const formats = new Map<string, Uint8Array[]>();
    for (const { system, format } of this.#tracepoints.all) {
      const ofSystem = formats.get(system) ?? [];
      ofSystem.push(format);
      formats.set(system, ofSystem);
    }
    return tracingData({
      pageSize: pageSize(),
      headerPage: this.#tracefs.read('events/header_page'),
      headerEvent: this.#tracefs.read('events/header_event'),
      formats,
      savedCommandLines: this.#tracefs.read('saved_cmdlines'),
    });
  }
}

function pageSize(): number {
  const kibibytes = /^KernelPageSize:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/smaps', 'utf8'))?.[1];
  return 1024 * Number(kibibytes ?? 4);
}
