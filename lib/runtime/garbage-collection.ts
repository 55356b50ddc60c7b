/** Garbage collections as events. */
import { timestamp } from '../listen/timestamp.ts';
import { type CollectionEntry, CollectionKind, observeCollections } from './collection-entries.ts';
import type { RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

const KINDS: Readonly<Record<number, string>> = {
  [CollectionKind.Scavenge]: 'scavenge',
  [CollectionKind.MinorMarkSweep]: 'minorMarkSweep',
  [CollectionKind.MarkSweepCompact]: 'markSweepCompact',
  [CollectionKind.IncrementalMarking]: 'incrementalMarking',
  [CollectionKind.WeakCallbacks]: 'weakCallbacks',
};

const NANOSECONDS_PER_MSEC = 1e6;

export function garbageCollections(events: RuntimeEvents): Observation {
  // Counts across all periods of observation, so that a gap in the numbers is a loss.
  let number = 0;
  const write = ({ startTime, duration, detail }: CollectionEntry) => {
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
    start: () => observeCollections(write),
  };
}
