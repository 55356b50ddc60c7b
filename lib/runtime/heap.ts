/** V8's heap, sampled once a second. */
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { RuntimeEvents } from './events.ts';
import { everySecond } from './every-second.ts';
import type { Observation } from './observation.ts';

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
