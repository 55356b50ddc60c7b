/** How a JavaScript thread has spent its time so far: on a processor, and waiting in its event loop for something to do. */
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

/** Those of another thread of this process, by the system's id. */
export function timesOfThread(osThreadId: number): ThreadTimes {
  return { threadCpuMSec: cpuMSecOf(osThreadId), loopIdleMSec: -1 };
}

function cpuMSecOf(osThreadId: number): number {
  const ms = theTracer().threadCpuMSec(osThreadId);
  return ms > 0 ? ms : -1;
}
