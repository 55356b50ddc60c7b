/** What Node.js tells of the process and of the thread's heap to whoever asks. */
import { getHeapSpaceStatistics, getHeapStatistics, type HeapInfo } from 'node:v8';

export interface GenerationSizes {
  readonly gen0: number;
  readonly gen2: number;
  /** Large objects, each of which has memory of its own. */
  readonly loh: number;
}

/** Bytes that objects take, by what of V8's heap is what .NET's generations are. */
export function generationSizes(): GenerationSizes {
  const sizes = { gen0: 0, gen2: 0, loh: 0 };
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    sizes[generationOf(space_name)] += space_used_size;
  return sizes;
}

/** V8's young generation is `new_space`; what outlives it goes to one of several old spaces. */
function generationOf(space: string): keyof GenerationSizes {
  if (space.includes('large_object')) return 'loh';
  return space === 'new_space' ? 'gen0' : 'gen2';
}

/** Bytes that have ever been allocated in the heap; undefined where V8 does not count them, as in Node.js 24. */
export function totalAllocatedBytes(): number | undefined {
  const statistics: HeapInfo & { readonly total_allocated_bytes?: number } = getHeapStatistics();
  return statistics.total_allocated_bytes;
}

/** Of the kinds that Node.js names, what `setTimeout`, `setInterval` and `setImmediate` made. */
const TIMERS = ['Timeout', 'Immediate'];

/** Those that keep the process alive. */
export function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((type) => TIMERS.includes(type)).length;
}

/** Of all threads of the process. */
export function processorSeconds(): { readonly user: number; readonly system: number } {
  const { user, system } = process.cpuUsage();
  return { user: user / 1e6, system: system / 1e6 };
}
