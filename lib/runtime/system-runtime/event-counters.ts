/** The EventCounters of `System.Runtime`. Names, texts, units and kinds are those of .NET's RuntimeEventSource. */
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { IncrementingPollingCounter, PollingCounter } from '../../counters/event-counters.ts';
import { ShareCounter } from '../../counters/share-counter.ts';
import type { Listenable } from '../../listen/written-event.ts';
import { activeTimers, generationSizes, processorSeconds, totalAllocatedBytes } from './figures.ts';
import type { ObservedTotals } from './observed-totals.ts';

const BYTES_PER_MB = 1_000_000;
const MINUTE = 60_000;
const SECOND = 1000;

export function defineEventCounters(source: Listenable, totals: ObservedTotals): void {
  const value = (name: string, displayName: string, displayUnits: string, poll: () => number) =>
    new PollingCounter(source, name, poll, { displayName, displayUnits });
  const share = (name: string, displayName: string, milliseconds: () => number) =>
    new ShareCounter(source, name, milliseconds, { displayName, displayUnits: '%' });
  const rate = (
    name: string,
    displayName: string,
    displayUnits: string,
    displayRateMs: number,
    total: () => number,
  ) => new IncrementingPollingCounter(source, name, total, { displayName, displayUnits, displayRateMs });

  const processors = availableParallelism();
  share('cpu-usage', 'CPU Usage', () => {
    const { user, system } = processorSeconds();
    return (1000 * (user + system)) / processors;
  });
  value('working-set', 'Working Set', 'MB', () => process.memoryUsage.rss() / BYTES_PER_MB);
  value('gc-heap-size', 'GC Heap Size', 'MB', () => getHeapStatistics().used_heap_size / BYTES_PER_MB);
  // As in .NET: a collection of the whole heap also counts as one of the young generation.
  rate(
    'gen-0-gc-count',
    'Gen 0 GC Count',
    '',
    MINUTE,
    () => totals.youngCollections + totals.fullCollections,
  );
  rate('gen-2-gc-count', 'Gen 2 GC Count', '', MINUTE, () => totals.fullCollections);
  share('time-in-gc', '% Time in GC since last GC', () => totals.pauseMilliseconds);
  value('gen-0-size', 'Gen 0 Size', 'B', () => generationSizes().gen0);
  value('gen-2-size', 'Gen 2 Size', 'B', () => generationSizes().gen2);
  value('loh-size', 'LOH Size', 'B', () => generationSizes().loh);
  value('gc-committed', 'GC Committed Bytes', 'MB', () => getHeapStatistics().total_heap_size / BYTES_PER_MB);
  if (totalAllocatedBytes() !== undefined) {
    rate('alloc-rate', 'Allocation Rate', 'B', SECOND, () => totalAllocatedBytes() ?? 0);
  }
  value('active-timer-count', 'Number of Active Timers', '', activeTimers);
  rate('exception-count', 'Exception Count', '', SECOND, () => totals.exceptions);
}
