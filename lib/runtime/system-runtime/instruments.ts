/** The instruments of the meter `System.Runtime`. Names, units, tags and kinds are those of .NET 9's RuntimeMetrics. */
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { thrownFields } from '../../base/thrown-fields.ts';
import { Demand } from '../../counters/demand.ts';
import type { Meter } from '../../counters/meter.ts';
import { observeUncaughtExceptions } from '../exceptions.ts';
import { activeTimers, generationSizes, processorSeconds, totalAllocatedBytes } from './figures.ts';
import type { ObservedTotals } from './observed-totals.ts';

const BYTES = 'By';
const SECONDS = 's';
const GENERATION = 'gc.heap.generation';
const MILLISECONDS_PER_SECOND = 1000;

export function defineInstruments(meter: Meter, totals: ObservedTotals): void {
  const processors = availableParallelism();
  meter.createObservableCounter('dotnet.process.cpu.time', () => tagged('cpu.mode', processorSeconds()), {
    unit: SECONDS,
    description: 'CPU time used by the process.',
  });
  meter.createObservableUpDownCounter('dotnet.process.cpu.count', () => processors, {
    unit: '{cpu}',
    description: 'Processors available to the process.',
  });
  meter.createObservableUpDownCounter('dotnet.process.memory.working_set', process.memoryUsage.rss, {
    unit: BYTES,
    description: 'Physical memory of the process.',
  });
  const collections = () => {
    const { youngCollections: gen0, fullCollections: gen2 } = totals;
    return tagged(GENERATION, { gen0, gen2 });
  };
  meter.createObservableCounter('dotnet.gc.collections', collections, {
    unit: '{collection}',
    description: 'Garbage collections since collecting began, by the oldest generation collected.',
  });
  if (totalAllocatedBytes() !== undefined) {
    meter.createObservableCounter('dotnet.gc.heap.total_allocated', () => totalAllocatedBytes() ?? 0, {
      unit: BYTES,
      description: "Total memory allocated in the main thread's heap.",
    });
  }
  const committed = () => getHeapStatistics().total_heap_size;
  meter.createObservableUpDownCounter('dotnet.gc.last_collection.memory.committed_size', committed, {
    unit: BYTES,
    description: "Memory currently committed to the main thread's heap.",
  });
  const heapSizes = () => tagged(GENERATION, generationSizes());
  meter.createObservableUpDownCounter('dotnet.gc.last_collection.heap.size', heapSizes, {
    unit: BYTES,
    description: "Current size of the objects in the main thread's heap.",
  });
  const pauseSeconds = () => totals.pauseMilliseconds / MILLISECONDS_PER_SECOND;
  meter.createObservableCounter('dotnet.gc.pause.time', pauseSeconds, {
    unit: SECONDS,
    description: 'Time in which JavaScript was paused for garbage collections since collecting began.',
  });
  meter.createObservableUpDownCounter('dotnet.timer.count', activeTimers, {
    unit: '{timer}',
    description: 'Timers that keep the process alive.',
  });
  const observing = new Demand(() =>
    observeUncaughtExceptions((error) => exceptions.add(1, { 'error.type': thrownFields(error).type })),
  );
  meter.accompany(observing);
  const exceptions = meter.createCounter('dotnet.exceptions', {
    unit: '{exception}',
    description: 'Uncaught exceptions.',
  });
}

/** A value for each value of a tag. */
function tagged(tag: string, values: object) {
  return Object.entries(values).map(([key, value]: [string, number]) => ({ value, tags: { [tag]: key } }));
}
