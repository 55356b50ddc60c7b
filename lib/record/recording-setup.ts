/** What recordings into perf.data files have in common: an open recorder, its tracepoints, and facts for the files. */
import { hostname, machine, release } from 'node:os';
import type { RecorderCounts } from '../platform/addon-functions.ts';
import { requireRecorderPlatform } from '../platform/recorder.ts';
import type { RecordedEvent, RecordingFacts, StartFacts } from '../wire/perf-data/write/features.ts';
import { tracingData } from '../wire/perf-data/write/tracing-data.ts';
import type { CpuOptions, CpuSampling } from './cpu-sampling.ts';
import { type EventRecorder, type OpenedRecorder, openCpuRecorder, openRecorder } from './event-recorder.ts';
import type { NoticesOptions } from './notice-server.ts';
import { processors } from './processors.ts';
import { type RecordedTracepoint, RecordedTracepoints } from './recorded-tracepoints.ts';
import type { FileOwner } from './recording-file.ts';
import type { TracefsFiles } from './tracefs.ts';
import { tracepointFormats } from './tracepoint-formats.ts';
import type { Selection } from './tracepoint-selection.ts';

export interface RecordingOptions {
  readonly file: string;
  readonly selection: Selection;
  /** Ring size per processor, in bytes: a power of two, at least a page. */
  readonly ringSize: number;
  /** Stored in the file. */
  readonly commandLine: readonly string[];
  /** The version of the program that records. */
  readonly version: string;
  /** The owner of the file, if different from this user. */
  readonly owner?: FileOwner;
  /** The options for sampling the CPU, if that was requested. */
  readonly cpu?: CpuOptions;
  /** The user whose programs announce their tracepoints, if any. */
  readonly programsOf?: NoticesOptions['user'];
}

export interface RecordingResult {
  readonly events: number;
  readonly cpuSamples: number;
  /** The size of all records in the file. */
  readonly bytes: number;
  /** Records for which the kernel had no room. */
  readonly lost: number;
  /** Names of the tracepoints, with their systems. */
  readonly tracepoints: readonly string[];
  /** Which tracepoints cannot be recorded at all, as a sentence. */
  readonly unrecordable: string | undefined;
  /** Whether the file has everything that was not lost. */
  readonly isWhole: boolean;
  /** The problems, in sentences. Apart from these, the file is complete. */
  readonly problems: readonly string[];
}

export class RecordingSetup {
  readonly recorder: EventRecorder;
  readonly cpu: CpuSampling | undefined;
  readonly tracefs: TracefsFiles;
  readonly tracepoints: RecordedTracepoints;
  readonly facts: StartFacts;
  readonly #opened: OpenedRecorder;

  /**
   * @param isOverwritten whether the rings keep the latest events only
   * @param announce called with each tracepoint before its first event can arrive
   * @throws RecorderError
   */
  constructor(
    { selection, ringSize, commandLine, version, cpu }: RecordingOptions,
    isOverwritten: boolean,
    announce?: (tracepoint: RecordedTracepoint) => void,
  ) {
    requireRecorderPlatform();
    const cpus = processors('online');
    const rings = { cpus, ringSize, isOverwritten };
    this.#opened =
      cpu === undefined ? openRecorder(rings) : openCpuRecorder(cpu, rings, selection.tracepoints.length > 0);
    const { recorder, tracefs, descriptors } = this.#opened;
    this.recorder = recorder;
    this.cpu = this.#opened.cpu;
    this.tracefs = tracefs;
    this.tracepoints = new RecordedTracepoints(recorder, tracefs, selection, descriptors, announce);
    this.tracepoints.addNamed();
    this.facts = {
      hostname: hostname(),
      osRelease: release(),
      version,
      arch: machine(),
      cpus: { available: processors('present').length, online: cpus.length },
      commandLine,
      clock: recorder.clocks(),
    };
  }

  /** The names of threads that the recorder does not provide itself. */
  names(): Iterable<Uint8Array> {
    return this.#opened.names();
  }

  /** What is unusual about it, in sentences. */
  get notices(): readonly string[] {
    return this.#opened.notices;
  }

  /** Each problem is a sentence. */
  get problems(): readonly string[] {
    return [...this.tracepoints.problems, ...this.#opened.problems];
  }

  /** The recorded events that are not tracepoints. */
  get otherEvents(): readonly RecordedEvent[] {
    return [this.recorder.sideBand, ...(this.cpu === undefined ? [] : [this.cpu.event])];
  }

  /** Returns the facts for a file with these records. */
  endFacts({ firstTime, lastTime }: RecorderCounts): RecordingFacts {
    const tracepoints = this.tracepoints.all;
    const threads = this.tracefs.read('saved_cmdlines');
    return {
      ...this.facts,
      tracingData: tracingData(tracepointFormats(this.tracefs, tracepoints, threads)),
      events: [...tracepoints.map(({ event }) => event), ...this.otherEvents],
      sampleTime: { first: firstTime, last: lastTime },
    };
  }

  /** Returns the result of a recording that has ended. */
  result(problems: readonly string[], isWhole = true): RecordingResult {
    const { events, cpuSamples, bytes, lost } = this.recorder.counts();
    const tracepoints = this.tracepoints.all.map(({ event }) => event.name);
    const { unrecordable } = this.tracepoints;
    return { events, cpuSamples, bytes, lost, tracepoints, unrecordable, isWhole, problems };
  }
}
