/** Meters: what System.Diagnostics.Metrics reports to each session. */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Meter, type Tags } from '../../lib/counters/index.ts';
import { EventListener, eventSources, type WrittenEvent } from '../../lib/index.ts';

const meter = new Meter('Shop', { version: '1.2' });
const source = eventSources().find(({ name }) => name === 'System.Diagnostics.Metrics');
afterAll(() => meter.close());

const listeners: EventListener[] = [];
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function asking(args: Record<string, string | number>, keywords = 2n) {
  const events: WrittenEvent[] = [];
  const listener = new EventListener({ onEventWritten: (event) => void events.push(event) });
  listeners.push(listener);
  if (source !== undefined) listener.enableEvents(source, 4, keywords, args);
  const values = (instrument: string, field: string) =>
    events
      .filter(({ payload, name }) => payload.instrumentName === instrument && name.endsWith('ValuePublished'))
      .map(({ payload }) => `${payload.tags}: ${payload[field]}`);
  return { events, values, listener };
}
const SHOP = { SessionId: 'SHARED', Metrics: 'Shop', RefreshInterval: 1 };

describe('a session', () => {
  it('receives the instruments, then the values of each collection between its start and stop', () => {
    const own = new Meter('Own', { version: '1.2' });
    const orders = own.createCounter('orders', { unit: '{order}', description: 'Orders' });
    const { events } = asking({ ...SHOP, Metrics: 'Own' });
    orders.add(2, { kind: 'web', big: true });
    vi.advanceTimersByTime(1000);
    own.close();
    expect(events.map(({ id, name }) => `${id} ${name}`)).toEqual([
      '7 BeginInstrumentReporting',
      '10 InitialInstrumentEnumerationComplete',
      '2 CollectionStart',
      '4 CounterRateValuePublished',
      '3 CollectionStop',
      '8 EndInstrumentReporting',
    ]);
    expect(events[3]?.payload).toMatchObject({
      sessionId: 'SHARED',
      meterName: 'Own',
      meterVersion: '1.2',
      instrumentName: 'orders',
      unit: '{order}',
      tags: 'big=true,kind=web',
      rate: '2',
      value: '2',
    });
  });

  it('receives the tags of a meter and of an instrument, sorted, with their description', () => {
    const own = new Meter('Tagged', { version: '2', tags: { region: 'eu', az: 1 } });
    own.createCounter('orders', { tags: { team: 'web', beta: true } });
    own.createGauge('plain');
    const { events } = asking({ ...SHOP, Metrics: 'Tagged' }, 6n);
    own.close();
    for (const event of ['BeginInstrumentReporting', 'InstrumentPublished', 'EndInstrumentReporting']) {
      const told = events.filter(({ name, payload }) => name === event && payload.meterName === 'Tagged');
      expect([event, ...told.map(({ payload }) => [payload.meterTags, payload.instrumentTags])]).toEqual([
        event,
        ['az=1,region=eu', 'beta=true,team=web'],
        ['az=1,region=eu', ''],
      ]);
    }
  });

  it('receives when each interval began and ended', () => {
    const { events } = asking(SHOP);
    const begin = Date.now();
    vi.advanceTimersByTime(1000);
    for (const name of ['CollectionStart', 'CollectionStop']) {
      expect(events.find((event) => event.name === name)?.payload).toMatchObject({
        intervalStartTime: new Date(begin),
        intervalEndTime: new Date(begin + 1000),
      });
    }
  });

  it('receives the values of each kind of instrument', () => {
    const counter = meter.createCounter('counter');
    const level = meter.createUpDownCounter('level');
    const gauge = meter.createGauge('gauge');
    const times = meter.createHistogram('times');
    let total = 10;
    meter.createObservableCounter('total', () => total);
    meter.createObservableGauge('each', () => [
      { value: 1, tags: { a: 1 } },
      { value: 2, tags: { a: 2 } },
    ]);
    const { values } = asking(SHOP);
    counter.add(1);
    level.add(5);
    level.add(-2);
    gauge.record(7);
    for (let value = 1; value <= 100; value++) times.record(value);
    vi.advanceTimersByTime(1000);
    total = 13;
    counter.add(4);
    vi.advanceTimersByTime(1000);
    expect(values('counter', 'rate')).toEqual([': 1', ': 4']);
    expect(values('counter', 'value')).toEqual([': 1', ': 5']);
    expect(values('level', 'value')).toEqual([': 3', ': 3']);
    expect(values('gauge', 'lastValue')).toEqual([': 7', ': 7']);
    expect(values('total', 'rate')).toEqual([': ', ': 3']);
    expect(values('each', 'lastValue').slice(0, 2)).toEqual(['a=1: 1', 'a=2: 2']);
    expect(values('times', 'count')).toEqual([': 100', ': 0']);
    const [first = '', second] = values('times', 'quantiles');
    expect(second).toBe(': ');
    const quantiles = first
      .slice(2)
      .split(';')
      .map((item) => Number(item.split('=')[1]));
    for (const [index, expected] of [50, 95, 99].entries()) {
      expect(Math.abs((quantiles[index] ?? 0) / expected - 1)).toBeLessThan(0.005);
    }
  });

  it('receives what its own interval contains, whatever others request', () => {
    const orders = meter.createCounter('orders-by-interval');
    const times = meter.createHistogram('times-by-interval');
    let total = 0;
    meter.createObservableCounter('total-by-interval', () => total);
    const quick = asking(SHOP);
    const slow = asking({ ...SHOP, RefreshInterval: 5 });
    for (let second = 1; second <= 10; second++) {
      orders.add(second);
      times.record(second);
      total += second;
      vi.advanceTimersByTime(1000);
    }
    expect(quick.values('orders-by-interval', 'rate')).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `: ${n}`),
    );
    expect(slow.values('orders-by-interval', 'rate')).toEqual([': 15', ': 40']);
    expect(slow.values('times-by-interval', 'count')).toEqual([': 5', ': 5']);
    expect(quick.values('total-by-interval', 'rate').slice(0, 3)).toEqual([': ', ': 2', ': 3']);
    expect(slow.values('total-by-interval', 'rate')).toEqual([': ', ': 40']);
  });

  it('receives what is added while it runs, however others collect it', () => {
    const orders = meter.createCounter('orders-meanwhile');
    const first = asking(SHOP);
    orders.add(1);
    orders.add(2);
    vi.advanceTimersByTime(500);
    const second = asking(SHOP);
    orders.add(4);
    orders.add(Number.NaN);
    orders.add(8, { kind: 'book' });
    orders.add(0.5);
    vi.advanceTimersByTime(500);
    second.listener.close();
    orders.add(16);
    vi.advanceTimersByTime(1000);
    expect(first.values('orders-meanwhile', 'rate')).toEqual([
      ': 7.5',
      'kind=book: 8',
      ': 16',
      'kind=book: 0',
    ]);
    expect(second.values('orders-meanwhile', 'rate')).toEqual([]);
    expect(first.values('orders-meanwhile', 'value').at(-2)).toBe(': 23.5');
  });

  it('receives no more series than it requests, with a single notice', () => {
    const many = meter.createCounter('many');
    const { events, values } = asking({ ...SHOP, Metrics: 'Shop\\many', MaxTimeSeries: 1 });
    for (const tag of ['a', 'b', 'c']) many.add(1, { tag });
    vi.advanceTimersByTime(1000);
    expect(values('many', 'rate')).toEqual(['tag=a: 1']);
    expect(events.filter(({ name }) => name === 'TimeSeriesLimitReached')).toHaveLength(1);
  });

  it('that ends while it receives the instruments stops all measuring', () => {
    const own = new Meter('Left');
    const instruments = ['a', 'b'].map((name) => own.createCounter(name));
    const leaving = new EventListener({ onEventWritten: () => leaving.close() });
    if (source !== undefined) leaving.enableEvents(source, 4, 2n, { ...SHOP, Metrics: 'Left' });
    expect(instruments.map(({ enabled }) => enabled)).toEqual([false, false]);
    own.close();
  });

  it('is notified of a function that throws', () => {
    const own = new Meter('Broken');
    own.createObservableGauge('broken', () => {
      throw new Error('no');
    });
    const { events } = asking({ ...SHOP, Metrics: 'Broken' });
    vi.advanceTimersByTime(1000);
    own.close();
    expect(
      events.find(({ name }) => name === 'ObservableInstrumentCallbackError')?.payload.errorMessage,
    ).toBe('Broken\\broken: Error: no');
  });

  it('that requests only the list of instruments receives no values', () => {
    meter.createCounter('published').add(1);
    const { events } = asking(SHOP, 4n);
    vi.advanceTimersByTime(1000);
    expect(new Set(events.map(({ name }) => name))).toEqual(
      new Set(['InstrumentPublished', 'InitialInstrumentEnumerationComplete']),
    );
  });
});

it('a value with unreadable tags does not affect the code that writes it, and is reported once', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const counter = meter.createCounter('hostile');
  const { values } = asking({ ...SHOP, Metrics: 'Shop\\hostile' });
  const unreadable = {
    get tag(): string {
      throw new Error('no tag');
    },
  };
  counter.add(1, { tag: Symbol('s') as unknown as string });
  counter.add(2, null as unknown as Tags);
  for (let n = 0; n < 2; n++) counter.add(3, unreadable);
  vi.advanceTimersByTime(1000);
  expect(values('hostile', 'value')).toEqual(['tag=Symbol(s): 1', ': 2']);
  expect(warn.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
    'A value of the instrument hostile was dropped because its tags cannot be read: Error: no tag',
  ]);
});

it.each([
  [
    'a meter',
    () => new Meter('Odd', { verison: '1' } as object),
    'Odd: there is no option "verison"; the options are version, tags.',
  ],
  [
    'an instrument',
    () => meter.createCounter('odd', { units: 'ms' } as object),
    'Shop.odd: there is no option "units"; the options are unit, description, tags.',
  ],
  [
    'an observable instrument',
    () => meter.createObservableGauge('odd', () => 1, { tag: {} } as object),
    'Shop.odd: there is no option "tag"; the options are unit, description, tags.',
  ],
  [
    'a meter’s tags',
    () => new Meter('Odd', { tags: 'a=b' as unknown as Tags }),
    "Odd: tags must be an object of strings, numbers and booleans, not 'a=b'.",
  ],
  [
    'an instrument’s tag',
    () => meter.createGauge('odd', { tags: { a: {} as string } }),
    'Shop.odd: the tag "a" must be a string, a number or a boolean, not {}.',
  ],
])('an unknown or invalid option of %s is rejected', (_, define, message) => {
  expect(define).toThrow(message);
});

it('an instrument’s methods can be detached from it', () => {
  const own = new Meter('Taken');
  const { add } = own.createCounter('adds');
  const { record } = own.createGauge('records');
  const { values } = asking({ ...SHOP, Metrics: 'Taken' });
  add(2);
  record(3);
  vi.advanceTimersByTime(1000);
  own.close();
  expect([values('adds', 'value'), values('records', 'lastValue')]).toEqual([[': 2'], [': 3']]);
});
