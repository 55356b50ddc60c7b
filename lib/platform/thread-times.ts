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
const MAX_TEXT = 100;

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
