/** How a JavaScript thread has spent its time so far: on a processor, and waiting in its event loop for something to do. */
import { closeSync, openSync, readSync } from 'node:fs';
import { theTracer } from './tracer.ts';

/** Fields of events; -1 is a time that was not read, or that the system does not tell. */
export interface ThreadTimes {
  /** The time that the thread was on a processor: `CLOCK_THREAD_CPUTIME_ID` of Linux. */
  readonly threadCpuMSec: number;
  /** The time that its event loop waited for something to do. */
  readonly loopIdleMSec: number;
}

export const NOT_READ: ThreadTimes = { threadCpuMSec: -1, loopIdleMSec: -1 };

/** This thread's. Reading them takes about a microsecond. */
export function threadTimes(): ThreadTimes {
  return { threadCpuMSec: cpuMSecOf(0), loopIdleMSec: performance.nodeTiming.idleTime };
}

/** Returns the times of another thread of this process, by the system's id. */
export function timesOfThread(osThreadId: number): ThreadTimes {
  return { threadCpuMSec: cpuMSecOf(osThreadId), loopIdleMSec: -1 };
}

function cpuMSecOf(osThreadId: number): number {
  const ms = theTracer().threadCpuMSec(osThreadId);
  return ms > 0 ? ms : -1;
}

const NS_PER_MS = 1e6;
const US_PER_MS = 1000;
const MS_PER_SECOND = 1000;
const MAX_TEXT = 100;

const timing = performance.nodeTiming;

/**
 * How long this thread's event loop waits for something to do. libuv's own count lacks what was before each signal, and V8's
 * profiler sends one per sample. The addon notes when the loop begins to wait; without it, a thread that is sampled has at
 * most run for the processor time of the process, so that what blocks it otherwise seems to be a wait.
 */
export class LoopWaits {
  /** How many profilers of V8 sample this thread. */
  static profilers = 0;

  /** When the loop began to wait, on the clock of `process.hrtime`; not a number if it has not. */
  readonly #began = Float64Array.of(Number.NaN);
  readonly #isWatched = theTracer().watchLoop(this.#began);
  /** Of the clock of `performance.now`, on that of `process.hrtime`. */
  readonly #origin: number;
  #idle = timing.idleTime;
  /** When the last wait was over, and the processor time until then. */
  #wokeAt = performance.now();
  #usedMSec = processCpuMSec();

  constructor() {
    const [seconds, ns] = process.hrtime();
    this.#origin = seconds * MS_PER_SECOND + ns / NS_PER_MS - performance.now();
  }

  /** Returns how long the loop waited until now, in milliseconds; 0 if it has not waited since the last call. */
  take(): number {
    const began = this.#began[0] as number;
    this.#began[0] = Number.NaN;
    const { idleTime } = timing;
    const counted = idleTime - this.#idle;
    if (counted === 0) return 0;
    this.#idle = idleTime;
    if (!Number.isNaN(began)) return performance.now() - (began - this.#origin);
    if (this.#isWatched || LoopWaits.profilers === 0) return counted;
    const [wokeAt, usedMSec] = [this.#wokeAt, this.#usedMSec];
    this.#wokeAt = performance.now();
    this.#usedMSec = processCpuMSec();
    return Math.max(counted, this.#wokeAt - wokeAt - (this.#usedMSec - usedMSec));
  }

  close(): void {
    theTracer().unwatchLoop();
  }
}

function processCpuMSec(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

/**
 * How long this thread has waited for a processor that others used, as Linux counts it: the second number of
 * `/proc/thread-self/schedstat`, which is that of the thread that opens it. Reading it takes about two microseconds.
 */
export class ProcessorWait {
  readonly #buffer = Buffer.alloc(MAX_TEXT);
  #file: number | undefined;

  constructor() {
    try {
      this.#file = openSync('/proc/thread-self/schedstat', 'r');
    } catch {
      // Another system, a kernel that does not count, or not permitted.
    }
  }

  /** Returns milliseconds; -1 if the time is unknown. */
  read(): number {
    if (this.#file === undefined) return -1;
    try {
      const size = readSync(this.#file, this.#buffer, 0, MAX_TEXT, 0);
      const [, waitedNs, slices] = this.#buffer.toString('latin1', 0, size).split(' ');
      return Number(slices) > 0 ? Number(waitedNs) / NS_PER_MS : -1;
    } catch {
      return -1;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
