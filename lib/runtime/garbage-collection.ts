/** Garbage collections, as V8 reports them to Node.js: each some time after it has ended. */
import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { timestamp } from '../session/timestamp.ts';
import type { RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

/** Source: V8's GCType in v8-callbacks.h; Node.js documents `performanceEntry.detail` with the same numbers. */
const KINDS: Readonly<Record<number, string>> = {
  1: 'scavenge',
  2: 'minorMarkSweep',
  4: 'markSweepCompact',
  8: 'incrementalMarking',
  16: 'weakCallbacks',
};

/** What an entry of type `gc` has beside the times. */
interface Collection extends PerformanceEntry {
  readonly detail?: { readonly kind?: number; readonly flags?: number };
}

const NANOSECONDS_PER_MSEC = 1e6;

export function garbageCollections(events: RuntimeEvents): Observation {
  // Over all times of observing, so that a gap in the numbers is a loss.
  let number = 0;
  const write = ({ startTime, duration, detail }: Collection) => {
    const { kind = 0, flags = 0 } = detail ?? {};
    const startedAgoMSec = performance.now() - startTime;
    events.GarbageCollection({
      number: ++number,
      kind: KINDS[kind] ?? `kind ${kind}`,
      flags,
      startTime: timestamp() - BigInt(Math.round(startedAgoMSec * NANOSECONDS_PER_MSEC)),
      startedAgoMSec,
      durationMSec: duration,
    });
  };
  return {
    isWanted: () => events.GarbageCollection.enabled,
    start: () => {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(write));
      observer.observe({ type: 'gc' });
      return () => observer.disconnect();
    },
  };
}
