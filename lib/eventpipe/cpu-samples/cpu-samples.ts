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

/** How often a sequence point follows all samples so far: live tools see them with this delay. */
const POINT_MS = 1000;
/**
 * Fetching a piece holds the thread for as long as V8 needs to hand over its tree of stacks, about 7 µs for each of its
 * nodes. So an application with many different stacks has shorter pieces, at the pace of a session's flushes.
 */
const MAX_FETCH_MS = 5;
const MIN_PIECE_MS = 100;
const MAX_PIECE_MS = 1000;
/** Where each piece has to be started anew, which takes 30 ms of any piece, this takes at most a hundredth of the time. */
const PIECE_PER_START = 100;
/** Whatever a piece costs: the longer it is, the longer the pause of the application. */
const MAX_COSTLY_PIECE_MS = 5000;
/**
 * How much of the time since the last slice converts samples in a turn of the event loop: turns that take half a
 * millisecond get hardly longer, and applications with long turns need only a few of them.
 */
const SLICE_SHARE = 0.1;
const MIN_SLICE_MS = 0.1;
/** A slice ends after the sample it is at by then: half a millisecond later at most. */
const MAX_SLICE_MS = 1.5;
/** After this part of the time until the next piece, slices are as long as they may be. */
const LATE_SHARE = 0.5;
/** Version 4 identifies threads only by their ids, and no thread of a system has this one. */
const PROFILER_THREAD_ID = 0xffff_ffff;
const NS_PER_US = 1000n;

export class CpuSamples {
  /** Samples that are in the trace. */
  written = 0;
  /** Samples for which there was no room. The trace reports them as missing. */
  dropped = 0;
  /** Resolves when sampling has started, or will not; undefined if it started at once. */
  readonly started: Promise<void> | undefined;
  readonly #writer: EventSink;
  readonly #profilerThread: ThreadHandle;
  readonly #hasRoom: () => boolean;
  readonly #methods = new MethodTable();
  readonly #samples: NamedSamples;
  readonly #whenComplete: () => void;
  /** A later turn of the event loop starts sampling. */
  #starting: NodeJS.Immediate | undefined;
  #whenStarted: (() => void) | undefined;
  /** The samples that have been fetched and not been written, and the next one of them. */
  #fetched: Generator<CpuSample | undefined>[] = [];
  #next: IteratorResult<CpuSample | undefined> | undefined;
  /** Samples after this time are held back. */
  #until = 0n;
  /** The thread's when the samples were fetched, not written yet. */
  #times: { readonly read: ThreadTimes; readonly at: bigint } | undefined;
  /** The profiler is undefined before it starts and after it ends. */
  #profiler: V8Profiler | undefined;
  #pieceMs = MIN_PIECE_MS;
  #fetchedAt = 0;
  #pointAt = 0;
  /** Whether the next `takeDue` writes everything at once. */
  #isHurried = false;
  /** The slice is undefined unless the next turn of the event loop continues to convert. */
  #slice: NodeJS.Immediate | undefined;
  /** The samples were fetched, or the last slice ended, at this time. */
  #slicedAt = 0;
  /** Called when all fetched samples are written. */
  #whenCaughtUp: (() => void) | undefined;

  /**
   * Starts sampling. A failure is reported as a process warning.
   *
   * @param writer whose events are ordered by thread
   * @param sampled this thread
   * @param whenComplete called by the event loop when `takeDue` should follow, which may permit a sequence point
   * @param startsLater whether sampling starts in a later turn of the event loop
   */
  constructor(
    writer: EventSink,
    sampled: ThreadHandle,
    { intervalMs }: SamplingRequest,
    hasRoom: () => boolean,
    whenComplete: () => void,
    startsLater = false,
  ) {
    this.#writer = writer;
    this.#whenComplete = whenComplete;
    this.#hasRoom = hasRoom;
    this.#profilerThread = writer.thread({
      processId: process.pid,
      threadId: PROFILER_THREAD_ID,
      name: 'CPU profiler',
    });
    this.#samples = new NamedSamples(writer, this.#profilerThread, sampled, this.#methods);
    if (startsLater) this.started = this.#startLater(intervalMs);
    else this.#start(intervalMs);
  }

  /**
   * Fetches the samples when it is time. The next turns of the event loop convert and write them, a little in each.
   *
   * About once a second, a call when all of that is done fetches the few samples since then, and writes them at once.
   *
   * @param until what later calls can still write events after
   * @returns whether all samples up to the time have arrived: only then may there be a sequence point
   */
  takeDue(until: bigint): boolean {
    if (this.#profiler === undefined) {
      this.finish(until);
      return true;
    }
    const now = performance.now();
    // The application may not return to its event loop for long.
    if (this.#isHurried || now >= this.#pointAt + MAX_COSTLY_PIECE_MS) {
      this.#fetch(until);
      this.#isHurried = false;
      this.#pointAt = performance.now() + POINT_MS;
      this.finish(until);
      return true;
    }
    if (this.#slice !== undefined || now < this.#fetchedAt + this.#pieceMs) return false;
    const lastedMs = now - this.#fetchedAt;
    this.#fetch(until);
    this.#pieceMs = this.#nextPieceMs(lastedMs, performance.now() - now);
    // Immediates run in the turn of the timer that fetches, which is long enough: conversion begins in the next one.
    this.#nextTurn(() => this.#continueLater());
    return false;
  }

  /** Makes the next `takeDue` fetch the samples, and write all of them. */
  hurry(): void {
    this.#isHurried = true;
  }

  /**
   * Resolves when turns of the event loop have converted the samples until now. An end that follows has little to do,
   * which it would otherwise do at once.
   */
  catchUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenCaughtUp = resolve;
      this.#pieceMs = 0;
      this.#pointAt = performance.now();
      // Not in this turn: the application's stream may close its session while it takes a chunk.
      this.#slice ??= setImmediate(() => {
        this.#slice = undefined;
        this.#whenComplete();
      });
      this.#slice.ref();
    });
  }

  /** Stops sampling. */
  end(): void {
    const profiler = this.#profiler;
    this.#profiler = undefined;
    clearImmediate(this.#starting);
    this.#whenStarted?.();
    if (profiler === undefined) return;
    this.#readTimes();
    this.#guard(() => this.#add(profiler.end()));
  }

  /** Writes the last samples. Call it after the end. */
  finish(until: bigint): void {
    this.#until = until;
    clearImmediate(this.#slice);
    this.#slice = undefined;
    this.#write(Number.POSITIVE_INFINITY);
    this.#samples.forgetNames();
    this.#whenCaughtUp?.();
  }

  /**
   * V8 holds the thread for long, and so do the turn that starts a session, in which its sources' code runs the first
   * time, the one with what has come in meanwhile, and the one that opens the trace: V8 has a turn of its own.
   */
  #startLater(intervalMs: number): Promise<void> {
    this.#afterTurns(3, () => {
      this.#start(intervalMs);
      this.#afterTurns(1, () => this.#whenStarted?.());
    });
    return new Promise((resolve) => {
      this.#whenStarted = resolve;
    });
  }

  /** The first of them is the one that the application's loop is in: immediates run at its end. */
  #afterTurns(turns: number, work: () => void): void {
    this.#starting = setImmediate(() => {
      if (turns === 1) work();
      else this.#afterTurns(turns - 1, work);
    });
  }

  #start(intervalMs: number): void {
    this.#guard(() => {
      this.#profiler = new V8Profiler(intervalMs * 1000);
      this.#samples.writeTimes(threadTimes(), timestamp());
    });
    this.#fetchedAt = performance.now();
    this.#pointAt = this.#fetchedAt + POINT_MS;
  }

  #fetch(until: bigint): void {
    this.#until = until;
    this.#readTimes();
    this.#guard(() => {
      if (this.#profiler !== undefined) this.#add(this.#profiler.take());
    });
    this.#fetchedAt = performance.now();
    this.#slicedAt = this.#fetchedAt;
  }

  #readTimes(): void {
    this.#times = { read: threadTimes(), at: timestamp() };
  }

  #add(piece: ProfilePiece): void {
    this.#fetched.push(cpuSamples(piece, this.#methods));
  }

  /** Derives the length of the next piece from that of the last one, and from how long it took to fetch. */
  #nextPieceMs(lastedMs: number, fetchMs: number): number {
    const startMs = this.#profiler?.startMs ?? 0;
    const bounded = (lastedMs * MAX_FETCH_MS) / Math.max(fetchMs - startMs, 0.1);
    const pieceMs = Math.min(Math.max(bounded, MIN_PIECE_MS), MAX_PIECE_MS);
    return Math.max(pieceMs, Math.min(startMs * PIECE_PER_START, MAX_COSTLY_PIECE_MS));
  }

  #continueLater(): void {
    this.#nextTurn(() => this.#convertSlice());
  }

  #nextTurn(work: () => void): void {
    this.#slice = setImmediate(work);
    // The end of a session waits for it, as no other work of the application does.
    if (this.#whenCaughtUp === undefined) this.#slice.unref();
  }

  #convertSlice(): void {
    const now = performance.now();
    let isAll = false;
    try {
      isAll = this.#write(now + this.#sliceMs(now));
    } catch {
      // Out of memory. Anything not written is kept for the next time.
    }
    this.#slicedAt = performance.now();
    if (!isAll) {
      this.#continueLater();
      return;
    }
    this.#slice = undefined;
    if (this.#whenCaughtUp !== undefined) {
      this.#whenCaughtUp();
      return;
    }
    if (now < this.#pointAt) return;
    this.#isHurried = true;
    this.#whenComplete();
  }

  #sliceMs(now: number): number {
    // The next piece waits for this one, and holds the thread for the longer, the longer it waits.
    if (now > this.#fetchedAt + this.#pieceMs * LATE_SHARE) return MAX_SLICE_MS;
    return Math.min(Math.max((now - this.#slicedAt) * SLICE_SHARE, MIN_SLICE_MS), MAX_SLICE_MS);
  }

  /** @returns whether all samples that are not held back are written; otherwise it is later than `endAt` */
  #write(endAt: number): boolean {
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      const { value: sample, done } = next;
      if (done) this.#fetched.shift();
      else if (sample !== undefined) {
        const ticks = sampleTime(sample);
        // It was taken while the others were being fetched.
        if (ticks > this.#until) break;
        if (this.#hasRoom()) this.#writeSample(sample, ticks);
        else this.#drop();
      }
      this.#next = undefined;
      if (performance.now() > endAt) return false;
    }
    const times = this.#times;
    this.#times = undefined;
    if (times !== undefined) {
      this.#samples.writeTimes(times.read, times.at < this.#until ? times.at : this.#until);
    }
    return true;
  }

  #peek(): IteratorResult<CpuSample | undefined> | undefined {
    this.#guard(() => {
      this.#next ??= this.#fetched[0]?.next();
    });
    return this.#next;
  }

  #writeSample(sample: CpuSample, ticks: bigint): void {
    this.#samples.write(sample, ticks);
    this.written++;
  }

  #drop(): void {
    this.#writer.drop(this.#profilerThread, 1);
    this.dropped++;
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
