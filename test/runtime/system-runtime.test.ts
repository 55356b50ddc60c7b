/** System.Runtime: what dotnet-counters shows of a Node.js process by default. */
import type { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import type { MeanPayload, SumPayload } from '../../lib/counters/index.ts';
import { EventListener, eventSources, type WrittenEvent } from '../../lib/index.ts';
import { enableRuntimeEvents } from '../../lib/runtime/index.ts';

enableRuntimeEvents();
const sourceOf = (name: string) => {
  const source = eventSources().find((each) => each.name === name);
  if (source === undefined) throw new Error(`There is no event source ${name}.`);
  return source;
};
const system = sourceOf('System.Runtime');
const metrics = sourceOf('System.Diagnostics.Metrics');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

const open: EventListener[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.close();
});

type AnyPayload = Omit<MeanPayload, 'CounterType'> &
  Omit<SumPayload, 'CounterType'> & {
    readonly CounterType: string;
  };

function listener(): { readonly events: WrittenEvent[]; readonly listener: EventListener } {
  const events: WrittenEvent[] = [];
  const made = new EventListener({ onEventWritten: (event) => void events.push(event) });
  open.push(made);
  return { events, listener: made };
}

/** By name, as dotnet-counters asks for them. */
function askForEventCounters(seconds = 0.1) {
  const { events, listener: asking } = listener();
  asking.enableEvents(system, 4, 0n, { EventCounterIntervalSec: seconds });
  const payloads = () => events.map(({ payload }) => payload.Payload as AnyPayload);
  return (name: string) => payloads().filter(({ Name }) => Name === name);
}

function askForMeter(metricsArgument = 'System.Runtime') {
  const { events, listener: asking } = listener();
  asking.enableEvents(metrics, 4, 2n, {
    SessionId: 'SHARED',
    Metrics: metricsArgument,
    RefreshInterval: 0.1,
  });
  const ofInstrument = (name: string) => events.filter(({ payload }) => payload.instrumentName === name);
  return { events, ofInstrument };
}

const busyFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** .NET's names, as dotnet-counters puts them on the screen. Newer versions of V8 count allocations, too. */
const EVENT_COUNTERS: readonly (readonly [name: string, displayName: string, units: string, type: string])[] =
  [
    ['cpu-usage', 'CPU Usage', '%', 'Mean'],
    ['working-set', 'Working Set', 'MB', 'Mean'],
    ['gc-heap-size', 'GC Heap Size', 'MB', 'Mean'],
    ['gen-0-gc-count', 'Gen 0 GC Count', '', 'Sum 00:01:00'],
    ['gen-2-gc-count', 'Gen 2 GC Count', '', 'Sum 00:01:00'],
    ['time-in-gc', '% Time in GC since last GC', '%', 'Mean'],
    ['gen-0-size', 'Gen 0 Size', 'B', 'Mean'],
    ['gen-2-size', 'Gen 2 Size', 'B', 'Mean'],
    ['loh-size', 'LOH Size', 'B', 'Mean'],
    ['gc-committed', 'GC Committed Bytes', 'MB', 'Mean'],
    ['active-timer-count', 'Number of Active Timers', '', 'Mean'],
    ['exception-count', 'Exception Count', '', 'Sum 00:00:01'],
  ];

const INSTRUMENTS: readonly (readonly [name: string, type: string, unit: string])[] = [
  ['dotnet.process.cpu.time', 'ObservableCounter', 's'],
  ['dotnet.process.cpu.count', 'ObservableUpDownCounter', '{cpu}'],
  ['dotnet.process.memory.working_set', 'ObservableUpDownCounter', 'By'],
  ['dotnet.gc.collections', 'ObservableCounter', '{collection}'],
  ['dotnet.gc.last_collection.memory.committed_size', 'ObservableUpDownCounter', 'By'],
  ['dotnet.gc.last_collection.heap.size', 'ObservableUpDownCounter', 'By'],
  ['dotnet.gc.pause.time', 'ObservableCounter', 's'],
  ['dotnet.timer.count', 'ObservableUpDownCounter', '{timer}'],
  ['dotnet.exceptions', 'Counter', '{exception}'],
];

describe('the event source System.Runtime', () => {
  it("has .NET's id", () => {
    expect(system.guid).toBe('49592c0f-5a05-516d-aa4b-a64e02026c89');
  });

  it('has the counters that make sense in Node.js, with the names and units of .NET', async () => {
    const { events, listener: asking } = listener();
    asking.enableEvents(system, 4, 0n, { EventCounterIntervalSec: 0.1 });
    await sleep(150);
    const told = events
      .map(({ payload }) => payload.Payload as AnyPayload)
      .map(({ Name, DisplayName, DisplayUnits, CounterType, DisplayRateTimeScale = '' }) => [
        Name,
        DisplayName,
        DisplayUnits,
        `${CounterType} ${DisplayRateTimeScale}`.trim(),
      ])
      .filter(([name]) => name !== 'alloc-rate');
    expect(told).toEqual(EVENT_COUNTERS);
  });

  it('reports the process and its heap', async () => {
    const counter = askForEventCounters();
    await sleep(150);
    const value = (name: string) => counter(name)[0]?.Mean ?? Number.NaN;
    expect(value('working-set')).toBeCloseTo(process.memoryUsage.rss() / 1e6, -2);
    expect(value('gc-heap-size')).toBeGreaterThan(1);
    expect(value('gc-committed')).toBeGreaterThan(value('gc-heap-size'));
    const generations = value('gen-0-size') + value('gen-2-size') + value('loh-size');
    expect(generations / 1e6).toBeCloseTo(value('gc-heap-size'), -1);
  });

  it('counts collections; those of the whole heap also count for the young generation', async () => {
    const counter = askForEventCounters(0.3);
    collectGarbage();
    collectGarbage({ type: 'minor' });
    await sleep(400);
    expect(counter('gen-2-gc-count')[0]?.Increment).toBeGreaterThanOrEqual(1);
    expect(counter('gen-0-gc-count')[0]?.Increment).toBeGreaterThanOrEqual(2);
    expect(counter('time-in-gc')[0]?.Mean).toBeGreaterThan(0);
    expect(counter('time-in-gc')[0]?.Mean).toBeLessThan(100);
  });

  it('reports each listener the processor time of its own interval', async () => {
    const quick = askForEventCounters(0.1);
    const slow = askForEventCounters(0.4);
    busyFor(200);
    await sleep(300);
    const of = (counter: typeof quick) => counter('cpu-usage').map(({ Mean }) => Mean);
    // Busy at first, and idle then: the slow one is told the mean of both.
    const [busy = 0, ...idle] = of(quick);
    expect(Math.min(...idle)).toBeLessThan(busy / 2);
    expect(of(slow)[0]).toBeLessThan(busy);
    expect(of(slow)[0]).toBeGreaterThan(Math.min(...idle));
  });

  it('counts the timers that keep the process alive', async () => {
    const counter = askForEventCounters();
    const timers = [1, 2, 3].map(() => setTimeout(() => {}, 1e6));
    await sleep(150);
    for (const timer of timers) clearTimeout(timer);
    expect(counter('active-timer-count')[0]?.Mean).toBeGreaterThanOrEqual(3);
  });
});

describe('the meter System.Runtime', () => {
  it('has the instruments that make sense in Node.js, with the names and units of .NET 9', () => {
    const { events } = askForMeter();
    const told = events
      .filter(({ name }) => name === 'BeginInstrumentReporting')
      .map(({ payload }) => [payload.instrumentName, payload.instrumentType, payload.unit])
      .filter(([name]) => name !== 'dotnet.gc.heap.total_allocated');
    expect(told).toEqual(INSTRUMENTS);
  });

  it('reports values with the tags of .NET', async () => {
    const { events } = askForMeter();
    await sleep(150);
    const tags = (instrument: string) =>
      events
        .filter(({ payload, name }) => payload.instrumentName === instrument && name.endsWith('Published'))
        .map(({ payload }) => payload.tags);
    expect(tags('dotnet.process.cpu.time')).toEqual(['cpu.mode=user', 'cpu.mode=system']);
    expect(tags('dotnet.gc.collections')).toEqual(['gc.heap.generation=gen0', 'gc.heap.generation=gen2']);
    expect(tags('dotnet.gc.last_collection.heap.size')).toEqual([
      'gc.heap.generation=gen0',
      'gc.heap.generation=gen2',
      'gc.heap.generation=loh',
    ]);
  });

  it('counts each uncaught exception by its name', async () => {
    const { ofInstrument } = askForMeter();
    (process as EventEmitter).emit(
      'uncaughtExceptionMonitor',
      new RangeError('too far'),
      'uncaughtException',
    );
    await sleep(150);
    expect(ofInstrument('dotnet.exceptions')[1]?.payload).toMatchObject({
      tags: 'error.type=RangeError',
      rate: '1',
      value: '1',
    });
  });
});

describe('while nothing requests System.Runtime', () => {
  const hooks = () => process.listenerCount('uncaughtExceptionMonitor');

  it('nothing of Node.js is observed', () => {
    const before = hooks();
    askForEventCounters();
    askForMeter();
    expect(hooks()).toBe(before + 2);
    for (const each of open.splice(0)) each.close();
    expect(hooks()).toBe(before);
  });

  it('not even while somebody requests other meters', () => {
    const before = hooks();
    askForMeter('Another');
    expect(hooks()).toBe(before);
  });
});
