/**
 * CPU samples of this thread's JavaScript as events of a session, as .NET's sample profiler writes them: the
 * profiler is a thread of its own in the trace, which writes events of the thread that it samples.
 */
import { NetTraceBytes } from '../../wire/nettrace/write/byte-writer.ts';
import type { NetTraceWriter } from '../../wire/nettrace/write/nettrace-writer.ts';
import type { ThreadHandle } from '../../wire/nettrace/write/written.ts';
import { thrownText } from '../shown.ts';
import { timestampOf } from '../timestamp.ts';
import { SampleType, THREAD_SAMPLE } from './dotnet-events.ts';
import { writeMethodRundown } from './method-rundown.ts';
import { MethodTable } from './method-table.ts';
import { cpuSamples } from './profiled-samples.ts';
import type { SamplingRequest } from './sampling-request.ts';
import { type ProfilePiece, V8Profiler } from './v8-profiler.ts';

/** What V8 has is fetched so often: tools that watch see it that late. */
const PIECE_MS = 1000;
/** It takes about a millisecond, but can take longer, and is to take a hundredth of the time at most. */
const PIECE_PER_FETCH = 100;
/** Version 4 knows threads by their ids alone, and no thread of a system has this one. */
const PROFILER_THREAD_ID = 0xffff_ffff;
const NS_PER_US = 1000n;

const EXTERNAL = payloadOf(SampleType.External);
const MANAGED = payloadOf(SampleType.Managed);

export class CpuSamples {
  /** Samples that are in the trace. */
  written = 0;
  /** Samples that there was no room for. The trace tells that they are missing. */
  dropped = 0;
  /** The time of the newest sample that is in the trace, 0 before there is one. */
  newestTicks = 0n;
  readonly #writer: NetTraceWriter;
  readonly #sampled: ThreadHandle;
  readonly #profilerThread: ThreadHandle;
  readonly #hasRoom: () => boolean;
  #metadataId = 0;
  #methods: MethodTable | undefined;
  /** Undefined: there is none, or no longer. */
  #profiler: V8Profiler | undefined;
  #dueAt = performance.now() + PIECE_MS;

  /**
   * Starts to sample. Where that cannot be, it is a process warning.
   *
   * @param writer in the order of threads
   * @param sampled this thread
   */
  constructor(
    writer: NetTraceWriter,
    sampled: ThreadHandle,
    { intervalMs }: SamplingRequest,
    hasRoom: () => boolean,
  ) {
    this.#writer = writer;
    this.#sampled = sampled;
    this.#hasRoom = hasRoom;
    this.#profilerThread = writer.thread({
      processId: process.pid,
      threadId: PROFILER_THREAD_ID,
      name: 'CPU profiler',
    });
    this.#guard(() => {
      this.#methods = new MethodTable(process.cwd());
      this.#profiler = new V8Profiler(intervalMs * 1000);
    });
  }

  /**
   * Writes what has been sampled, about once a second.
   *
   * @returns whether no sample of the time up to now is to come: only then, a sequence point may
   */
  takeDue(): boolean {
    const profiler = this.#profiler;
    if (profiler === undefined) return true;
    const startedAt = performance.now();
    if (startedAt < this.#dueAt) return false;
    this.#guard(() => this.#write(profiler.take()));
    const endedAt = performance.now();
    this.#dueAt = endedAt + Math.max(PIECE_MS, (endedAt - startedAt) * PIECE_PER_FETCH);
    return true;
  }

  /** Writes the last samples. */
  end(): void {
    const profiler = this.#profiler;
    this.#profiler = undefined;
    if (profiler !== undefined) this.#guard(() => this.#write(profiler.end()));
  }

  /** Writes what tells the names in all stacks. To be called at the end. */
  writeRundown(ticks: bigint): void {
    if (this.#methods === undefined || this.written === 0) return;
    writeMethodRundown(this.#writer, this.#sampled, ticks, this.#methods);
  }

  #write(piece: ProfilePiece): void {
    const methods = this.#methods as MethodTable;
    for (const { timeUs, isJavaScript, stack } of cpuSamples(piece, methods)) {
      if (!this.#hasRoom()) {
        this.dropped++;
        this.#writer.drop(this.#profilerThread, 1);
        continue;
      }
      this.written++;
      this.newestTicks = timestampOf(BigInt(timeUs) * NS_PER_US);
      this.#writer.write({
        metadataId: this.#described(),
        thread: this.#profilerThread,
        ofThread: this.#sampled,
        ticks: this.newestTicks,
        stack,
        payload: isJavaScript ? MANAGED : EXTERNAL,
      });
    }
  }

  #described(): number {
    if (this.#metadataId === 0) this.#metadataId = this.#writer.define(THREAD_SAMPLE);
    return this.#metadataId;
  }

  /** The profiler may be missing, forbidden or refuse: the session goes on without it. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#profiler = undefined;
      const warning = `The session has no CPU samples from here on: ${thrownText(error)}`;
      process.emitWarning(warning, 'TracewrightWarning');
    }
  }
}

function payloadOf(type: number): Uint8Array {
  const bytes = new NetTraceBytes();
  bytes.uint32(type);
  return bytes.take();
}
