/** Events at given times, as the views of CPU time and of other costs of activities read them. */
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';

/** By default of the application `App`, on its only thread. */
export function eventAt(timeMs: number, parts: Partial<TraceEvent> = {}): TraceEvent {
  const time = BigInt(timeMs * 1e6);
  return {
    provider: 'App',
    name: '',
    processId: 42,
    threadId: 1,
    payload: {},
    timestamp: time,
    timeSinceStart: time,
    nsSinceStart: Number(parts.timeSinceStart ?? time),
    ...parts,
  } as TraceEvent;
}

/** The thread turns to the activity, or to none. */
export function switchedAt(
  timeMs: number,
  activityId?: string,
  { startedAgoMSec = 0, threadId = 1, threadCpuMSec = -1, loopIdleMSec = -1 } = {},
): TraceEvent {
  return eventAt(timeMs, {
    provider: 'Node.Runtime',
    name: 'ActivitySwitch',
    activityId,
    threadId,
    payload: { startedAgoMSec, threadCpuMSec, loopIdleMSec },
  });
}
