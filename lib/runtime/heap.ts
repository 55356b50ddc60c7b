/** V8's heap, sampled once a second, and its garbage collections as events. */
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { timestamp } from '../listen/timestamp.ts';
import { type CollectionEntry, CollectionKind, observeCollections } from './collection-entries.ts';
import type { RuntimeEvents } from './events.ts';
import { everySecond } from './every-second.ts';
import type { Observation } from './observation.ts';

const KINDS: Readonly<Record<number, string>> = {
  [CollectionKind.Scavenge]: 'scavenge',
  [CollectionKind.MinorMarkSweep]: 'minorMarkSweep',
  [CollectionKind.MarkSweepCompact]: 'markSweepCompact',
  [CollectionKind.IncrementalMarking]: 'incrementalMarking',
  [CollectionKind.WeakCallbacks]: 'weakCallbacks',
};

const NANOSECONDS_PER_MSEC = 1e6;

export function heap(events: RuntimeEvents): Observation {
  const sample = () => {
    writeHeap(events);
    writeSpaces(events);
  };
  return {
    isWanted: () => events.HeapStatistics.enabled || events.HeapSpaceStatistics.enabled,
    start: () => {
      sample();
      return everySecond(sample);
    },
  };
}

function writeHeap(events: RuntimeEvents): void {
  events.HeapStatistics(() => {
    const statistics = getHeapStatistics();
    return {
      totalHeapSize: statistics.total_heap_size,
      usedHeapSize: statistics.used_heap_size,
      heapSizeLimit: statistics.heap_size_limit,
      totalPhysicalSize: statistics.total_physical_size,
      totalAvailableSize: statistics.total_available_size,
      mallocedMemory: statistics.malloced_memory,
      externalMemory: statistics.external_memory,
      nativeContexts: statistics.number_of_native_contexts,
      detachedContexts: statistics.number_of_detached_contexts,
      // Throws if the system has no file descriptor left; the event is then counted as dropped.
      residentSetSize: process.memoryUsage.rss(),
    };
  });
}

function writeSpaces(events: RuntimeEvents): void {
  if (!events.HeapSpaceStatistics.enabled) return;
  for (const space of getHeapSpaceStatistics()) {
    events.HeapSpaceStatistics({
      name: space.space_name,
      size: space.space_size,
      usedSize: space.space_used_size,
      availableSize: space.space_available_size,
      physicalSize: space.physical_space_size,
    });
  }
}

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
