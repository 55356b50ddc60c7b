/** How busy the event loop was in each second, how late it ran its timers, and what kept it alive. */
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { RuntimeEvents } from './events.ts';
import { everySecond } from './every-second.ts';
import type { Observation } from './observation.ts';

/** How often the delay is measured: each measurement wakes up the loop, even in an idle process. */
const RESOLUTION_MSEC = 20;
const NANOSECONDS_PER_MSEC = 1e6;

export function eventLoop(events: RuntimeEvents): Observation {
  return {
    isWanted: () => events.EventLoop.enabled,
    start: () => {
      const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MSEC });
      delays.enable();
      let before = performance.eventLoopUtilization();
      const stop = everySecond(() => {
        const now = performance.eventLoopUtilization();
        const { utilization, active, idle } = performance.eventLoopUtilization(now, before);
        before = now;
        events.EventLoop({ utilization, activeMSec: active, idleMSec: idle, ...delayFields(delays) });
        delays.reset();
      });
      return () => {
        stop();
        delays.disable();
      };
    },
  };
}

function delayFields(delays: IntervalHistogram) {
  // An empty histogram returns NaN and the like.
  if (delays.count === 0) {
    return { delays: 0, delayMeanMSec: 0, delayP50MSec: 0, delayP99MSec: 0, delayMaxMSec: 0 };
  }
  return {
    delays: delays.count,
    delayMeanMSec: lateness(delays.mean),
    delayP50MSec: lateness(delays.percentile(50)),
    delayP99MSec: lateness(delays.percentile(99)),
    delayMaxMSec: lateness(delays.max),
  };
}

/** Node.js measures from one tick of its timer to the next, including the timer's interval. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS_PER_MSEC - RESOLUTION_MSEC);
}

/** What keeps the event loop alive, counted by type once a second. */
export function resources(events: RuntimeEvents): Observation {
  const sample = () => events.ActiveResources(activeResources);
  return {
    isWanted: () => events.ActiveResources.enabled,
    start: () => {
      sample();
      return everySecond(sample);
    },
  };
}

function activeResources() {
  const all = process.getActiveResourcesInfo();
  const counts = new Map<string, number>();
  for (const type of all) counts.set(type, (counts.get(type) ?? 0) + 1);
  return { count: all.length, types: Array.from(counts, ([type, count]) => ({ type, count })) };
}
