/**
 * What a thread runs, and what each run had waited for: unlike activity switches, runs end when the event loop waits,
 * and say what woke the loop and since when the run could have begun. Only while somebody asks for them.
 *
 * Sources, checked on Node.js 20 to 26: `uvMetricsInfo.loopCount` grows with each turn of the loop; a Timeout's
 * `_idleStart` and `_idleTimeout` say when it is due, in whole milliseconds of libuv's clock.
 */
import { executionAsyncResource } from 'node:async_hooks';
import type { Guid } from './guid.ts';
import { runningActivity, type SharedActivities } from './shared.ts';

/** The event source, event, keyword and level of runs. */
export const ACTIVITY_RUN = {
  provider: 'Node.Runtime',
  name: 'ActivityRun',
  keyword: 0x20n,
  /** The level is above Verbose, as for activity switches. */
  level: 6,
} as const;

export interface ActivityRunFields {
  /** Consecutive: a gap is a loss, or a time in which runs were not observed. */
  number: number;
  startedAgoMSec: number;
  durationMSec: number;
  /** The processor time that the thread used; -1 if that is unknown. */
  cpuMSec: number;
  /** How long it waited for a processor that others used; -1 if that is unknown. */
  processorWaitMSec: number;
  /** What called back: see `WAKERS`; empty if it is unknown. */
  wokenBy: string;
  /** Whether the callback was the activity's own, rather than one in which its promise was settled. */
  isOwnCallback: boolean;
  /** How long the callback had been ready when the run began: at least, and at most. */
  lateMSec: number;
  lateAtMostMSec: number;
  /** How long before the run a thread of the pool began with the job that called back, at most; -1 if unknown. */
  jobAtMostMSec: number;
}

/** @param wokenBy the activity that the thread ran when the callback began, if it was another */
type WriteRun = (run: ActivityRunFields, id: Guid | undefined, wokenBy: Guid | undefined) => void;

/** The clocks are in milliseconds. */
export interface LoopClocks {
  now(): number;
  /** How long the loop waited until now; 0 if it has not waited since the last call. */
  waited(): number;
  /** How many turns the loop has made. */
  turns(): number;
  /** Processor time of the thread; -1 if it cannot be read. */
  cpu(): number;
  /** How long the thread has waited for a processor; -1 if it cannot be read. */
  processorWait(): number;
  /** When a thread of the pool began with the job that now calls back, at the earliest. */
  jobBegan(asyncId: number): number | undefined;
}

/** The resource of work that only measures the thread pool: its callback is none of the application's. */
export class ThreadPoolCanary {}

/** Shorter runs count for the one before, in milliseconds, unless they end a wait. */
const MERGED_MS = 0.05;
/** An activity that waited for so long has a run of its own, however short, which says what it waited for. */
const WAIT_MS = 1;
/** How long the thread runs, at least, between two readings of its processor time: each is a system call. */
const READ_MS = 1;

/** What calls back, by the constructor of its resource. Promises and ticks run within the callbacks of others. */
const WAKERS: Readonly<Record<string, string>> = {
  Timeout: 'timer',
  Immediate: 'immediate',
  FSReqCallback: 'fs',
  FSReqPromise: 'fs',
  FileHandleCloseReq: 'fs',
  ReadFileJob: 'fs',
  GetAddrInfoReqWrap: 'dns.lookup',
  GetNameInfoReqWrap: 'dns.lookupService',
  QueryReqWrap: 'dns.resolve',
  Zlib: 'zlib',
  BrotliEncoder: 'zlib',
  BrotliDecoder: 'zlib',
  ZstdCompress: 'zlib',
  ZstdDecompress: 'zlib',
  TCP: 'socket',
  Pipe: 'socket',
  TTY: 'socket',
  UDP: 'socket',
  TLSWrap: 'socket',
  Http2Session: 'socket',
  Http2Stream: 'socket',
  HTTPServerAsyncResource: 'http.server',
  HTTPClientAsyncResource: 'http.client',
  TCPConnectWrap: 'connect',
  PipeConnectWrap: 'connect',
  WriteWrap: 'write',
  ShutdownWrap: 'write',
  SendWrap: 'write',
  Process: 'process',
  Worker: 'worker',
  MessagePort: 'message',
};
const JOB = /^(\w+)Job$/;

/** A callback of the event loop. */
interface Callback {
  readonly waker: string;
  /** The activity in which it began. */
  readonly id: Guid | undefined;
  /** It became ready between these two. */
  readonly readyFrom: number;
  readonly readyBy: number;
  readonly jobBegan: number | undefined;
}

interface Piece {
  readonly id: Guid | undefined;
  readonly callback: Callback;
  readonly start: number;
  /** How long its activity had not run; 0 for a new one. */
  readonly waited: number;
  end: number;
  /** Processor time, and how long it waited for a processor; -1 if it was not read. */
  cpu: number;
  processorWait: number;
}

export class ActivityRuns {
  readonly #shared: SharedActivities;
  readonly #write: WriteRun;
  readonly #clocks: LoopClocks;
  readonly #wakers = new WeakMap<object, string>();
  /** The times at which activities last ran. */
  readonly #lastRan = new WeakMap<Guid, number>();
  #number: number;
  #turns: number;
  /** When the loop last asked the system for events, and since when those that it then found may have been ready. */
  #polled: number;
  #polledBefore: number;
  /** What to add to libuv's time. */
  #timerOffset: number;
  #callback: Callback;
  #running: Piece;
  /** Written once it is known that what follows does not belong to it. */
  #pending: Piece | undefined;
  #isWriting = false;
  /** The thread's times when they were last read, and how long it has run since. */
  #cpu: number;
  #processorWait: number;
  #ranSince = 0;

  /** @param number of the last run of an earlier observation */
  constructor(shared: SharedActivities, write: WriteRun, number: number, clocks: LoopClocks) {
    this.#shared = shared;
    this.#write = write;
    this.#clocks = clocks;
    // The time since an earlier observation is a gap.
    this.#number = number + 1;
    const now = clocks.now();
    this.#cpu = clocks.cpu();
    this.#processorWait = clocks.processorWait();
    this.#turns = clocks.turns();
    this.#polled = this.#polledBefore = now;
    // Nothing between the two but a loss of the processor, after which timers' calls lower it.
    const ofTimers = libuvTime();
    this.#timerOffset = clocks.now() - ofTimers;
    const id = runningActivity(shared);
    this.#callback = { waker: '', id, readyFrom: now, readyBy: now, jobBegan: undefined };
    this.#running = this.#pieceAt(now, id);
    this.#writeSafely({ ...this.#running });
  }

  /** The number of the last run. */
  get number(): number {
    return this.#number;
  }

  /** Observes the thread. @returns ends it, and writes what has not been written yet */
  observe(): () => void {
    // The hook passes an id; a change of the context in running code passes nothing.
    const observer = (asyncId?: number) => {
      try {
        if (asyncId !== undefined) {
          const resource = executionAsyncResource();
          if (resource instanceof ThreadPoolCanary) return;
          this.#before(asyncId, resource);
        }
        this.#check();
      } catch {
        // The stack has overflowed: the next call notices the switch. In a hook, an error would end the process.
      }
    };
    const end = this.#shared.flow.observeCallbacks(observer);
    return () => {
      end();
      this.flush();
    };
  }

  /** Writes the run so far, for a trace that ends now. */
  flush(): void {
    if (this.#isWriting) return;
    const now = this.#clocks.now();
    this.#endPiece(now);
    this.#writePending();
    this.#running = this.#pieceAt(now, runningActivity(this.#shared));
  }

  /** A callback, a tick or the continuation of a promise begins. */
  #before(asyncId: number, resource: object): void {
    const waker = this.#wakerOf(resource);
    const waited = this.#clocks.waited();
    if (waker === undefined && waited === 0) return;
    const now = this.#clocks.now();
    const id = runningActivity(this.#shared);
    if (waited > 0) {
      // The loop has waited: whatever it runs now has only just become ready.
      this.#turns = this.#clocks.turns();
      this.#polled = this.#polledBefore = now;
    } else if (waker !== 'timer' && waker !== 'immediate') this.#notePoll(now);
    const jobBegan = isOfThreadPool(waker ?? '') ? this.#clocks.jobBegan(asyncId) : undefined;
    this.#callback = { ...this.#callbackOf(waker, resource, id, now), jobBegan };
    if (waited < MERGED_MS || this.#isWriting) return;
    this.#endPiece(now - waited);
    this.#writePending();
    this.#running = this.#pieceAt(now, id);
  }

  #callbackOf(
    waker = '',
    resource: TimeoutResource,
    id: Guid | undefined,
    now: number,
  ): Omit<Callback, 'jobBegan'> {
    if (waker !== 'timer') return { waker, id, readyFrom: this.#polledBefore, readyBy: this.#polled };
    const due = this.#dueOf(resource, now);
    return { waker, id, readyFrom: due, readyBy: due };
  }

  /** Events that the loop finds in a turn may have been ready since the last. */
  #notePoll(now: number): void {
    const turns = this.#clocks.turns();
    if (turns === this.#turns) return;
    this.#turns = turns;
    this.#polledBefore = this.#polled;
    this.#polled = now;
  }

  #check(): void {
    const id = runningActivity(this.#shared);
    if (id === this.#running.id || this.#isWriting) return;
    const now = this.#clocks.now();
    this.#endPiece(now);
    this.#running = this.#pieceAt(now, id);
  }

  #pieceAt(now: number, id: Guid | undefined): Piece {
    const waited = id === undefined ? 0 : now - (this.#lastRan.get(id) ?? now);
    return { id, callback: this.#callback, start: now, waited, end: now, cpu: -1, processorWait: -1 };
  }

  #endPiece(end: number): void {
    const piece = this.#running;
    const pending = this.#pending;
    if (piece.id !== undefined) this.#lastRan.set(piece.id, end);
    piece.end = Math.max(piece.start, end);
    this.#readTimes(piece);
    if (pending !== undefined && !isTelling(piece)) {
      if (pending.cpu >= 0) pending.cpu += piece.end - piece.start;
      pending.end = piece.end;
      return;
    }
    this.#writePending();
    this.#pending = piece;
  }

  /** The loop needs no processor while it waits, and shorter runs are assumed to have had one. */
  #readTimes(piece: Piece): void {
    const ran = piece.end - piece.start;
    this.#ranSince += ran;
    if (this.#ranSince < READ_MS) return;
    const others = this.#ranSince - ran;
    const [cpu, processorWait] = [this.#clocks.cpu(), this.#clocks.processorWait()];
    if (cpu >= 0 && this.#cpu >= 0) piece.cpu = Math.min(ran, Math.max(0, cpu - this.#cpu - others));
    if (processorWait >= 0 && this.#processorWait >= 0) {
      piece.processorWait = Math.min(ran, Math.max(0, processorWait - this.#processorWait));
    }
    this.#cpu = cpu;
    this.#processorWait = processorWait;
    this.#ranSince = 0;
  }

  #writePending(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined && isTelling(pending)) this.#writeSafely(pending);
  }

  /** A listener may itself start activities. */
  #writeSafely({ id, callback, start, end, cpu, processorWait, waited }: Piece): void {
    const { waker, readyFrom, readyBy, jobBegan } = callback;
    const isOwnCallback = callback.id === id;
    // An immediate is ready at once.
    const isReady = waker === 'immediate' && isOwnCallback;
    this.#number = (this.#number + 1) >>> 0;
    const run = {
      number: this.#number,
      // The event has the time of its writing, which a thread that lost its processor meanwhile reaches late.
      startedAgoMSec: this.#clocks.now() - start,
      durationMSec: end - start,
      cpuMSec: cpu,
      processorWaitMSec: processorWait,
      wokenBy: waker,
      isOwnCallback,
      lateMSec: isReady ? waited : Math.max(0, start - readyBy),
      lateAtMostMSec: isReady ? waited : Math.max(0, start - readyFrom),
      jobAtMostMSec: jobBegan === undefined ? -1 : Math.max(0, start - jobBegan),
    };
    this.#isWriting = true;
    try {
      this.#write(run, id, isOwnCallback ? undefined : callback.id);
    } finally {
      this.#isWriting = false;
    }
  }

  /** Returns undefined for what runs within a callback. */
  #wakerOf(resource: object): string | undefined {
    const { constructor: type } = resource;
    if (typeof type !== 'function') return undefined;
    let waker = this.#wakers.get(type);
    if (waker === undefined) {
      waker = wakerOfName(type.name);
      this.#wakers.set(type, waker);
    }
    return waker === '' ? undefined : waker;
  }

  /**
   * Returns no time later than now: each timer's call also bounds the offset of libuv's time, which is known to a
   * millisecond.
   */
  #dueOf({ _idleStart: start, _idleTimeout: timeout }: TimeoutResource, now: number): number {
    if (typeof start !== 'number' || typeof timeout !== 'number') return now;
    const due = start + timeout;
    this.#timerOffset = Math.min(this.#timerOffset, now - due);
    return due + this.#timerOffset;
  }
}

interface TimeoutResource {
  readonly _idleStart?: unknown;
  readonly _idleTimeout?: unknown;
}

/** Now on the clock of timers, which has whole milliseconds. */
export function libuvTime(): number {
  const probe = setTimeout(() => {}, 1);
  clearTimeout(probe);
  const { _idleStart: start } = probe as unknown as TimeoutResource;
  return typeof start === 'number' ? start : performance.now();
}

function isTelling({ start, end, waited }: Piece): boolean {
  return end - start >= MERGED_MS || waited >= WAIT_MS;
}

/** Returns an empty text for what runs within a callback. */
export function wakerOfName(name: string): string {
  if (Object.hasOwn(WAKERS, name)) return WAKERS[name] as string;
  const [, job] = JOB.exec(name) ?? [];
  return job === undefined ? '' : `crypto.${job.toLowerCase()}`;
}

const OF_THREAD_POOL: ReadonlySet<string> = new Set(['fs', 'zlib', 'dns.lookup', 'dns.lookupService']);

/** Whether what calls back is work of libuv's thread pool. */
export function isOfThreadPool(waker: string): boolean {
  return OF_THREAD_POOL.has(waker) || waker.startsWith('crypto.');
}
