/** A recording of the system's user_events that is read while it runs. */
import { Socket } from 'node:net';
import type { ClockPair, RecorderCounts } from '../platform/addon-functions.ts';
import { Recorder, requireRecorderPlatform } from '../platform/recorder.ts';
import {
  attrRecord,
  clockRecord,
  PIPE_HEADER,
  tracingDataRecord,
  wholeRecordsSize,
} from '../wire/perf-data/write/pipe.ts';
import { tracingData } from '../wire/perf-data/write/tracing-data.ts';
import type { NoticesOptions } from './notice-server.ts';
import { processors } from './processors.ts';
import { RecordedTracepoints } from './recorded-tracepoints.ts';
import { Tracefs } from './tracefs.ts';
import { tracepointFormats } from './tracepoint-formats.ts';
import type { Selection } from './tracepoint-selection.ts';
import { TracepointWatch } from './tracepoint-watch.ts';

interface LiveOptions {
  readonly selection: Selection;
  /** Ring size per processor, in bytes: a power of two, at least a page. */
  readonly ringSize: number;
  /** The user whose programs announce their tracepoints, if any. */
  readonly programsOf?: NoticesOptions['user'];
}

export class LiveRecording {
  readonly #recorder: Recorder;
  readonly #tracefs: Tracefs;
  readonly #tracepoints: RecordedTracepoints;
  readonly #pipe: Socket;
  readonly #clock: ClockPair;
  readonly #watch: TracepointWatch;
  /** How many of the tracepoints have been announced in the chunks. */
  #told = 0;

  /**
   * When this returns, everything selected that exists is being recorded.
   *
   * @throws RecorderError
   */
  constructor({ selection, ringSize, programsOf }: LiveOptions) {
    requireRecorderPlatform();
    this.#tracefs = new Tracefs();
    const cpus = processors('online');
    this.#recorder = new Recorder({ cpus, ringSize });
    this.#tracepoints = new RecordedTracepoints(this.#recorder, this.#tracefs, selection, cpus.length);
    this.#tracepoints.addNamed();
    this.#clock = this.#recorder.clocks();
    const readEnd = this.#recorder.startPipe();
    this.#pipe = new Socket({ fd: readEnd, readable: true, writable: false });
    try {
      this.#watch = new TracepointWatch(this.#tracepoints, this.#tracefs, programsOf);
    } catch (error) {
      this.#pipe.destroy();
      throw error;
    }
  }

  /** Our programs announce their new tracepoints here: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#watch.address;
  }

  /** The counts are final once all chunks have been read. */
  get counts(): RecorderCounts {
    return this.#recorder.counts();
  }

  /** Which tracepoints cannot be recorded at all, as a sentence. */
  get unrecordable(): string | undefined {
    return this.#tracepoints.unrecordable;
  }

  /** Why some tracepoints are not recorded, in sentences. */
  get problems(): readonly string[] {
    return this.#tracepoints.problems;
  }

  /** How many tracepoints are recorded. */
  get tracepoints(): number {
    return this.#tracepoints.all.length;
  }

  /**
   * A perf.data in pipe format, without an end until `stop` is called. If the chunks are read slowly, the kernel loses
   * events. Call it once.
   */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield Buffer.concat([PIPE_HEADER, attrRecord(this.#recorder.sideBand), clockRecord(this.#clock)]);
      let rest: Uint8Array = new Uint8Array(0);
      for await (const piece of this.#pipe as AsyncIterable<Uint8Array>) {
        const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        const size = wholeRecordsSize(bytes);
        rest = bytes.subarray(size);
        // A tracepoint is known here before the pipe can deliver its first sample, and announced between records.
        yield* this.#newTracepoints();
        yield bytes.subarray(0, size);
      }
    } finally {
      this.stop();
      this.#pipe.destroy();
    }
  }

  /** Ends the chunks, after everything recorded until now. */
  stop(): void {
    this.#watch.stop();
    this.#recorder.stop();
  }

  *#newTracepoints(): Generator<Uint8Array> {
    const added = this.#tracepoints.all.slice(this.#told);
    if (added.length === 0) return;
    this.#told += added.length;
    yield tracingDataRecord(tracingData(tracepointFormats(this.#tracefs, added)));
    for (const { event } of added) yield attrRecord(event);
  }
}
