/** Values written through OpenTelemetry's API, as a listener to meters receives them. */
import { type Meter, metrics } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { meterProvider } from '../../lib/integrations/opentelemetry-metrics.ts';
import { type AskingListener, askForMeters } from './metrics-listener.ts';

let meter: Meter;
let listener: AskingListener | undefined;

function ask(name = 'some-library'): AskingListener {
  listener = askForMeters(name);
  return listener;
}

beforeAll(() => {
  metrics.setGlobalMeterProvider(meterProvider());
  meter = metrics.getMeter('some-library', '1.2');
});
afterAll(() => metrics.disable());

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  listener?.close();
  listener = undefined;
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(1000 * count);

describe('an instrument of OpenTelemetry', () => {
  it('is described by its name, unit, description and the version of its meter', () => {
    meter.createCounter('described', { unit: '{item}', description: 'Items' });
    expect(ask().events.find(({ payload }) => payload.instrumentName === 'described')).toMatchObject({
      name: 'BeginInstrumentReporting',
      payload: {
        meterName: 'some-library',
        meterVersion: '1.2',
        instrumentType: 'Counter',
        unit: '{item}',
        description: 'Items',
      },
    });
  });

  it('reports what is written, by its attributes', async () => {
    const counter = meter.createCounter('counter');
    const level = meter.createUpDownCounter('level');
    const gauge = meter.createGauge('gauge');
    const { values } = ask();
    counter.add(1, { route: '/', tls: true, protocols: ['h1', 'h2'], absent: undefined });
    counter.add(2);
    level.add(5);
    level.add(-7);
    gauge.record(3);
    gauge.record(4);
    await seconds(1);
    expect(values('counter')).toEqual(['protocols=h1;h2,route=/,tls=true: 1', ': 2']);
    expect(values('level')).toEqual([': -2']);
    expect(values('gauge', 'lastValue')).toEqual([': 4']);
  });

  it('reports how the values of a histogram are distributed', async () => {
    const histogram = meter.createHistogram('duration', { unit: 's' });
    const { values } = ask();
    for (const value of [1, 1, 1]) histogram.record(value);
    await seconds(1);
    expect(values('duration', 'quantiles')).toEqual([': 0.5=1;0.95=1;0.99=1']);
    expect(values('duration', 'count')).toEqual([': 3']);
  });

  it('that can only increase ignores negative values', async () => {
    const counter = meter.createCounter('growing');
    const { values } = ask();
    counter.add(3);
    counter.add(-1);
    await seconds(1);
    expect(values('growing')).toEqual([': 3']);
  });

  it('is the same for everybody who requests it by name', async () => {
    const first = metrics.getMeter('some-library', '1.2').createCounter('shared');
    const second = metrics.getMeter('some-library', '1.2').createCounter('shared');
    const { values } = ask();
    first.add(1);
    second.add(1);
    await seconds(1);
    expect(values('shared')).toEqual([': 2']);
  });

  it('does not need a name', () => {
    expect(() => metrics.getMeter('').createCounter('').add(1)).not.toThrow();
  });
});

describe('an observable instrument of OpenTelemetry', () => {
  it('reports what its callbacks observe, each called once per interval', async () => {
    let total = 10;
    const callback = vi.fn();
    const counter = meter.createObservableCounter('total');
    counter.addCallback((result) => result.observe(total, { of: 'one' }));
    counter.addCallback(callback);
    const upDown = meter.createObservableUpDownCounter('up-down');
    upDown.addCallback((result) => result.observe(-1));
    const gauge = meter.createObservableGauge('now');
    gauge.addCallback((result) => result.observe(7));
    expect(callback).not.toHaveBeenCalled();
    const { values } = ask();
    await seconds(1);
    total = 13;
    counter.removeCallback(callback);
    await seconds(1);
    expect(values('total', 'rate')).toEqual(['of=one: ', 'of=one: 3']);
    expect(values('up-down')).toEqual([': -1', ': -1']);
    expect(values('now', 'lastValue')).toEqual([': 7', ': 7']);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('may share a callback with others, which is called once for all', async () => {
    const one = meter.createObservableGauge('one');
    const other = meter.createObservableGauge('other');
    const callback = vi.fn((result: Parameters<Parameters<Meter['addBatchObservableCallback']>[0]>[0]) => {
      result.observe(one, 1);
      result.observe(other, 2);
    });
    meter.addBatchObservableCallback(callback, [one, other]);
    const { values } = ask();
    await seconds(1);
    expect(callback).toHaveBeenCalledOnce();
    meter.removeBatchObservableCallback(callback, [one, other]);
    await seconds(1);
    expect(callback).toHaveBeenCalledOnce();
    expect(values('one', 'lastValue')).toEqual([': 1', ': ']);
    expect(values('other', 'lastValue')).toEqual([': 2', ': ']);
  });

  it('with an asynchronous callback reports what that observed last time', async () => {
    let value = 0;
    meter.createObservableGauge('slow').addCallback(async (result) => {
      await Promise.resolve();
      result.observe(++value);
    });
    const { values } = ask();
    await seconds(3);
    expect(values('slow', 'lastValue')).toEqual([': 1', ': 2']);
  });

  it('whose callback fails does not affect others', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    meter.createObservableGauge('throws').addCallback(() => {
      throw new Error('no');
    });
    meter.createObservableGauge('rejects').addCallback(async () => {
      throw new Error('never');
    });
    meter.createObservableGauge('works').addCallback((result) => result.observe(1));
    const { events, values } = ask();
    await seconds(1);
    const failure = events.find(({ name }) => name === 'ObservableInstrumentCallbackError');
    expect(failure?.payload.errorMessage).toBe('some-library\\throws: Error: no');
    expect(warn.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      'A callback of an observable instrument threw: Error: never',
    ]);
    expect(values('works', 'lastValue')).toEqual([': 1']);
  });
});
