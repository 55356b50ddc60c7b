/** A registry of prom-client, as a listener to meters receives it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showRegistry } from '../../lib/integrations/prom-client.ts';
import { installedTools, reasonOf } from '../consumers/application.ts';
import { named } from '../platforms.ts';
import { askForMeters } from './metrics-listener.ts';

const closing: { close(): void }[] = [];
function kept<Kind extends { close(): void }>(thing: Kind): Kind {
  closing.push(thing);
  return thing;
}
const ask = (name = 'prom-client') => kept(askForMeters(name));
const seconds = (count: number) => vi.advanceTimersByTimeAsync(1000 * count);

let registers: Registry[];
beforeEach(() => {
  vi.useFakeTimers();
  registers = [new Registry()];
});
afterEach(() => {
  for (const thing of closing.splice(0).reverse()) thing.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});
const show = (name?: string) =>
  kept(showRegistry(registers[0] as Registry, name === undefined ? {} : { name }));

it('an unknown option is rejected', () => {
  expect(() => showRegistry(registers[0] as Registry, { nmae: 'shop' } as object)).toThrow(
    'showRegistry: there is no option "nmae"; the options are name.',
  );
});

describe('a registry on display', () => {
  it('shows counters and gauges by their labels', async () => {
    const orders = new Counter({ name: 'orders', help: 'Orders', labelNames: ['kind'], registers });
    new Gauge({ name: 'queue', help: 'Waiting', registers }).set(7);
    show();
    orders.inc({ kind: 'web' }, 2);
    const { events, values } = ask();
    await seconds(1);
    orders.inc({ kind: 'web' }, 3);
    await seconds(2);
    expect(values('orders').slice(0, 1)).toEqual(['kind=web: 2']);
    expect(values('orders', 'rate').at(0)).toBe('kind=web: ');
    expect(values('orders', 'rate')).toContain('kind=web: 3');
    expect(values('queue', 'lastValue').at(0)).toBe(': 7');
    const described = events.filter(({ name }) => name === 'BeginInstrumentReporting');
    expect(
      described.map(
        ({ payload: { instrumentName, instrumentType, description } }) =>
          `${instrumentName} ${instrumentType} ${description}`,
      ),
    ).toEqual(['orders ObservableCounter Orders', 'queue ObservableGauge Waiting']);
  });

  it('shows the count and the sum of histograms, and the quantiles of summaries', async () => {
    const sizes = new Histogram({ name: 'sizes', help: 'Sizes', buckets: [1, 10], registers });
    const times = new Summary({ name: 'times', help: 'Times', percentiles: [0.5], registers });
    show();
    for (const value of [2, 4]) {
      sizes.observe(value);
      times.observe(3);
    }
    const { events, values } = ask();
    await seconds(1);
    expect(values('sizes_count')).toEqual([': 2']);
    expect(values('sizes_sum')).toEqual([': 6']);
    expect(values('times', 'lastValue')).toEqual(['quantile=0.5: 3']);
    expect(values('times_count')).toEqual([': 2']);
    expect(events.some(({ payload }) => payload.instrumentName === 'sizes_bucket')).toBe(false);
  });

  it('is read only while something requests it', async () => {
    const collect = vi.fn();
    new Gauge({ name: 'collected', help: 'Collected', registers, collect });
    show();
    ask('another');
    await seconds(5);
    expect(collect).not.toHaveBeenCalled();
    const listener = ask();
    await seconds(1.5);
    expect(collect).toHaveBeenCalledTimes(2);
    listener.close();
    await seconds(5);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it('shows metrics that are added later, even if it had none', async () => {
    show('late');
    const { values } = ask('late');
    await seconds(1);
    new Gauge({ name: 'late_one', help: 'Late', registers }).set(1);
    await seconds(2);
    expect(values('late_one', 'lastValue')).toContain(': 1');
  });

  it('with a failing metric reports it once, and continues', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    let fails = true;
    new Gauge({
      name: 'sometimes',
      help: 'Fails',
      registers,
      collect() {
        if (fails) throw new Error('not now');
        this.set(5);
      },
    });
    show('failing');
    const { values } = ask('failing');
    await seconds(2);
    fails = false;
    await seconds(2);
    expect(warn.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      'The metrics of the registry shown as failing cannot be read: Error: not now',
    ]);
    expect(values('sometimes', 'lastValue')).toContain(': 5');
  });

  it('is not shown any more once it is closed', async () => {
    new Gauge({ name: 'gone', help: 'Gone', registers }).set(1);
    const shown = showRegistry(registers[0] as Registry, { name: 'closed' });
    const { events } = ask('closed');
    await seconds(1);
    shown.close();
    expect(events.at(-1)?.name).toBe('EndInstrumentReporting');
  });
});

const lowest = installedTools({ 'prom-client': '14.0.0' });

describe.skipIf('reason' in lowest)(named('prom-client 14', reasonOf(lowest)), () => {
  it('is shown the same way', async () => {
    const require = createRequire(join('folder' in lowest ? lowest.folder : '', 'package.json'));
    const client = require('prom-client') as {
      readonly Counter: typeof Counter;
      readonly Histogram: typeof Histogram;
      readonly Registry: typeof Registry;
    };
    registers = [new client.Registry()];
    new client.Counter({ name: 'orders', help: 'Orders', labelNames: ['kind'], registers }).inc({
      kind: 'web',
    });
    new client.Histogram({ name: 'sizes', help: 'Sizes', buckets: [1, 2], registers }).observe(1.5);
    show();
    const { values } = ask();
    await seconds(2);
    expect(values('orders').at(0)).toBe('kind=web: 1');
    expect(values('sizes_count').at(0)).toBe(': 1');
  });
});
