/** What Node.js reports about the process and the thread's heap on request. */
import { getHeapSpaceStatistics, getHeapStatistics, type HeapInfo } from 'node:v8';

interface GenerationSizes {
  readonly gen0: number;
  readonly gen2: number;
  /** Large objects, each of which has its own memory. */
  readonly loh: number;
}

/** The size of objects in bytes, by the parts of V8's heap that correspond to .NET's generations. */
export function generationSizes(): GenerationSizes {
  const sizes = { gen0: 0, gen2: 0, loh: 0 };
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    sizes[generationOf(space_name)] += space_used_size;
  return sizes;
}

/** V8's young generation is `new_space`; what survives it moves to one of several old spaces. */
function generationOf(space: string): keyof GenerationSizes {
  if (space.includes('large_object')) return 'loh';
  return space === 'new_space' ? 'gen0' : 'gen2';
}

/** The total number of bytes ever allocated in the heap; undefined where V8 does not count them, as in Node.js 24. */
export function totalAllocatedBytes(): number | undefined {
  const statistics: HeapInfo & { readonly total_allocated_bytes?: number } = getHeapStatistics();
  return statistics.total_allocated_bytes;
}

/** Node.js names these kinds for what `setTimeout`, `setInterval` and `setImmediate` create. */
const TIMERS = ['Timeout', 'Immediate'];

/** Those that keep the process alive. */
export function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((type) => TIMERS.includes(type)).length;
}

/** Returns the times of all threads of the process. */
export function processorSeconds(): { readonly user: number; readonly system: number } {
  const { user, system } = process.cpuUsage();
  return { user: user / 1e6, system: system / 1e6 };
}
