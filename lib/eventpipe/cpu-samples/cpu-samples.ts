/**
 * CPU samples of this thread's JavaScript as events of a session, as .NET's sample profiler writes them: the profiler
 * is a separate thread in the trace, which writes events about the thread that it samples.
 */
import { thrownText } from '../../base/value-text.ts';
import { passesEventFilter } from '../../listen/filter.ts';
import { timestamp, timestampOf } from '../../listen/timestamp.ts';
import { type ThreadTimes, threadTimes } from '../../platform/thread-times.ts';
import type { EventSink, ThreadHandle } from '../../wire/nettrace/write/trace-parts.ts';
import type { ProviderRequest } from '../requests.ts';
import { THREAD_SAMPLE } from './dotnet-events.ts';
import { MethodTable } from './method-table.ts';
import { NamedSamples } from './named-samples.ts';
import { type CpuSample, cpuSamples } from './profiled-samples.ts';
import { type ProfilePiece, V8Profiler } from './v8-profiler.ts';

/** How often samples are fetched from V8: live tools see them with this delay. */
const PIECE_MS = 1000;
/** Fetching takes about a millisecond, but can take longer, and should take at most a hundredth of the time. */
const PIECE_PER_FETCH = 100;
/**
 * For an application with many different stacks, fetching takes a tenth of the time, however often it happens: the
 * longer the interval, the longer each pause of the application. There is nothing to gain beyond this.
 */
const MAX_PIECE_MS = 5000;
/** Version 4 identifies threads only by their ids, and no thread of a system has this one. */
const PROFILER_THREAD_ID = 0xffff_ffff;
const NS_PER_US = 1000n;

export class CpuSamples {
  /** Samples that are in the trace. */
  written = 0;
  /** Samples for which there was no room. The trace reports them as missing. */
  dropped = 0;
  readonly #writer: EventSink;
  readonly #profilerThread: ThreadHandle;
  readonly #hasRoom: () => boolean;
  readonly #methods = new MethodTable();
  readonly #samples: NamedSamples;
  /** Not written yet, oldest first. */
  #fetched: CpuSample[] = [];
  /** How many of them have been written or dropped since. */
  #done = 0;
  /** The thread's when the samples were fetched, not written yet. */
  #times: { readonly read: ThreadTimes; readonly at: bigint } | undefined;
  /** The profiler is undefined before it starts and after it ends. */
  #profiler: V8Profiler | undefined;
  #dueAt = performance.now() + PIECE_MS;

  /**
   * Starts sampling. A failure is reported as a process warning.
   *
   * @param writer whose events are ordered by thread
   * @param sampled this thread
   */
  constructor(
    writer: EventSink,
    sampled: ThreadHandle,
    { intervalMs }: SamplingRequest,
    hasRoom: () => boolean,
  ) {
    this.#writer = writer;
    this.#hasRoom = hasRoom;
    this.#profilerThread = writer.thread({
      processId: process.pid,
      threadId: PROFILER_THREAD_ID,
      name: 'CPU profiler',
    });
    this.#samples = new NamedSamples(writer, this.#profilerThread, sampled, this.#methods);
    this.#guard(() => {
      this.#profiler = new V8Profiler(intervalMs * 1000);
      this.#samples.writeTimes(threadTimes(), timestamp());
    });
  }

  /**
   * Fetches the samples about once a second, and writes them up to the time.
   *
   * @returns whether all samples up to the time have arrived: only then may there be a sequence point
   */
  takeDue(until: bigint): boolean {
    const profiler = this.#profiler;
    if (profiler !== undefined) {
      const startedAt = performance.now();
      if (startedAt < this.#dueAt) return false;
      this.#times = { read: threadTimes(), at: timestamp() };
      this.#guard(() => this.#fetch(profiler.take()));
      const endedAt = performance.now();
      const pieceMs = Math.max(PIECE_MS, (endedAt - startedAt) * PIECE_PER_FETCH);
      this.#dueAt = endedAt + Math.min(pieceMs, MAX_PIECE_MS);
    }
    this.#write(until);
    return true;
  }

  /** Makes the next `takeDue` fetch the samples. */
  hurry(): void {
    this.#dueAt = 0;
  }

  /** Stops sampling. */
  end(): void {
    const profiler = this.#profiler;
    this.#profiler = undefined;
    if (profiler === undefined) return;
    this.#times = { read: threadTimes(), at: timestamp() };
    this.#guard(() => this.#fetch(profiler.end()));
  }

  /** Writes the last samples. Call it after the end. */
  finish(until: bigint): void {
    this.#write(until);
  }

  #fetch(piece: ProfilePiece): void {
    for (const sample of cpuSamples(piece, this.#methods)) this.#fetched.push(sample);
  }

  #write(until: bigint): void {
    this.#samples.forgetNames();
    while (this.#done < this.#fetched.length) {
      const sample = this.#fetched[this.#done] as CpuSample;
      const ticks = sampleTime(sample);
      // It was taken while the others were being fetched.
      if (ticks > until) break;
      if (this.#hasRoom()) this.#writeSample(sample, ticks);
      else this.#drop();
    }
    this.#fetched = this.#fetched.slice(this.#done);
    this.#done = 0;
    const times = this.#times;
    this.#times = undefined;
    if (times !== undefined) this.#samples.writeTimes(times.read, times.at < until ? times.at : until);
  }

  #writeSample(sample: CpuSample, ticks: bigint): void {
    this.#samples.write(sample, ticks);
    this.written++;
    this.#done++;
  }

  #drop(): void {
    this.#writer.drop(this.#profilerThread, 1);
    this.dropped++;
    this.#done++;
  }

  /** The profiler may be missing, forbidden or fail: the session continues without it. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      // Otherwise V8 would continue sampling, and retain samples that nobody fetches.
      this.#profiler?.abandon();
      this.#profiler = undefined;
      const warning = `The session has no CPU samples from here on: ${thrownText(error)}`;
      process.emitWarning(warning, 'TracewrightWarning');
    }
  }
}

export function sampleTime({ timeUs }: CpuSample): bigint {
  return timestampOf(BigInt(timeUs) * NS_PER_US);
}

/** What a session requests of the profiler. */
export interface SamplingRequest {
  /** The time between two samples. */
  readonly intervalMs: number;
}

/** .NET's default. */
const DEFAULT_INTERVAL_MS = 1;
const MIN_INTERVAL_MS = 0.1;
const MAX_INTERVAL_MS = 10_000;

/**
 * @param asked the request for the provider by name: a request for every provider does not include samples, which are
 * costly
 * @returns undefined if no samples are requested
 */
export function samplingRequest(
  asked: Pick<ProviderRequest, 'level' | 'arguments' | 'filter'> | undefined,
): SamplingRequest | undefined {
  if (asked === undefined || !passesEventFilter(asked.filter, THREAD_SAMPLE.eventId)) return undefined;
  // Level 0 means every level.
  if (asked.level !== 0 && asked.level < THREAD_SAMPLE.level) return undefined;
  const given = Number(asked.arguments.SampleProfilerIntervalMS);
  const isPossible = given >= MIN_INTERVAL_MS && given <= MAX_INTERVAL_MS;
  return { intervalMs: isPossible ? given : DEFAULT_INTERVAL_MS };
}
