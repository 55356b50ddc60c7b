/** The counters of an event source: the contents of their events, who receives them, and when nothing runs. */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { counterGroup, type GroupedCounter } from '../../lib/counters/counter-group.ts';
import {
  EventCounter,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  type MeanPayload,
  PollingCounter,
  type SumPayload,
} from '../../lib/counters/index.ts';
import { ShareCounter } from '../../lib/counters/share-counter.ts';
import { defineEventSource, EventListener, event, listen, type WrittenEvent } from '../../lib/index.ts';

const log = defineEventSource('Counters-Test', { Ping: event() });

// Activities flow while somebody listens, which has a timer of its own: from before timers are counted.
const alwaysThere = listen(log, () => {});
afterAll(() => alwaysThere.close());

const closing: { close(): void }[] = [];
function kept<Kind extends { close(): void }>(thing: Kind): Kind {
  closing.push(thing);
  return thing;
}

function asking(seconds: number | string) {
  const events: WrittenEvent[] = [];
  const listener = kept(new EventListener({ onEventWritten: (written) => void events.push(written) }));
  listener.enableEvents(log, 4, 0n, { EventCounterIntervalSec: seconds });
  const payloads = () => events.map(({ payload }) => payload.Payload as MeanPayload & SumPayload);
  return { listener, events, payloads };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  for (const thing of closing.splice(0)) thing.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the event', () => {
  it("of an EventCounter contains the mean of the interval's values, in .NET's order", () => {
    const counter = kept(
      new EventCounter(log, 'time', {
        displayName: 'Request time',
        displayUnits: 'ms',
        metadata: { a: '1', b: '2' },
      }),
    );
    const { events, payloads } = asking(1);
    for (const value of [1, 3, Number.NaN]) counter.write(value);
    vi.advanceTimersByTime(1000);
    expect(events[0]).toMatchObject({ name: 'EventCounters', level: 0, keywords: 0n, opcode: 0 });
    expect(Object.entries(payloads()[0] ?? {})).toEqual([
      ['Name', 'time'],
      ['DisplayName', 'Request time'],
      ['Mean', 2],
      ['StandardDeviation', 1],
      ['Count', 2],
      ['Min', 1],
      ['Max', 3],
      ['IntervalSec', 1],
      ['Series', 'Interval=1000'],
      ['CounterType', 'Mean'],
      ['Metadata', 'a:1,b:2'],
      ['DisplayUnits', 'ms'],
    ]);
  });

  it('of a counter without a displayName shows its name, so that tools have something to show', () => {
    kept(new EventCounter(log, 'mean'));
    kept(new PollingCounter(log, 'polled', () => 1, { displayName: '' }));
    kept(new IncrementingEventCounter(log, 'sum'));
    const { payloads } = asking(1);
    vi.advanceTimersByTime(1000);
    expect(payloads().map(({ DisplayName }) => DisplayName)).toEqual(['mean', 'polled', 'sum']);
  });

  it('of an EventCounter without values in the interval says so', () => {
    kept(new EventCounter(log, 'time')).write(5);
    const { payloads } = asking(1);
    vi.advanceTimersByTime(1000);
    expect(payloads()).toMatchObject([
      {
        Mean: 0,
        StandardDeviation: 0,
        Count: 0,
        Min: Number.POSITIVE_INFINITY,
        Max: Number.NEGATIVE_INFINITY,
      },
    ]);
  });

  it('of a PollingCounter contains the value', () => {
    kept(new PollingCounter(log, 'queue', () => 7));
    const { payloads } = asking(1);
    vi.advanceTimersByTime(1000);
    expect(payloads()).toMatchObject([{ Mean: 7, StandardDeviation: 0, Count: 1, Min: 7, Max: 7 }]);
  });

  it("of an IncrementingEventCounter contains the increment of the interval, in .NET's order", () => {
    const counter = kept(
      new IncrementingEventCounter(log, 'requests', { displayName: 'Requests', displayRateMs: 60_000 }),
    );
    const { payloads } = asking(2);
    counter.increment();
    counter.increment(4);
    vi.advanceTimersByTime(4000);
    expect(payloads().map(({ Increment }) => Increment)).toEqual([5, 0]);
    expect(Object.entries(payloads()[0] ?? {})).toEqual([
      ['Name', 'requests'],
      ['DisplayName', 'Requests'],
      ['DisplayRateTimeScale', '00:01:00'],
      ['Increment', 5],
      ['IntervalSec', 2],
      ['Metadata', ''],
      ['Series', 'Interval=2000'],
      ['CounterType', 'Sum'],
      ['DisplayUnits', ''],
    ]);
  });

  it('of an IncrementingPollingCounter contains the increase of the total since counting began', () => {
    let total = 100;
    kept(new IncrementingPollingCounter(log, 'collections', () => total));
    const { payloads } = asking(1);
    total = 103;
    vi.advanceTimersByTime(1000);
    expect(payloads()).toMatchObject([{ Increment: 3, CounterType: 'Sum' }]);
  });
});

describe('a subscriber', () => {
  it('receives what its own interval contains, whatever others request', () => {
    const counter = kept(new IncrementingEventCounter(log, 'requests'));
    const quick = asking(1);
    const slow = asking('2');
    counter.increment();
    vi.advanceTimersByTime(1000);
    counter.increment();
    vi.advanceTimersByTime(1000);
    const told = ({ Series, Increment }: SumPayload) => `${Series} ${Increment}`;
    expect(quick.payloads().map(told)).toEqual(['Interval=1000 1', 'Interval=1000 1']);
    expect(slow.payloads().map(told)).toEqual(['Interval=2000 2']);
  });

  it('receives the mean of its own interval', () => {
    const counter = kept(new EventCounter(log, 'time'));
    const quick = asking(1);
    const slow = asking(5);
    for (const value of [1, 2, 3, 4, 10]) {
      counter.write(value);
      vi.advanceTimersByTime(1000);
    }
    const told = ({ Count, Mean, Max }: MeanPayload) => [Count, Mean, Max];
    expect(quick.payloads().map(told)).toEqual([1, 2, 3, 4, 10].map((value) => [1, value, value]));
    expect(slow.payloads().map(told)).toEqual([[5, 4, 10]]);
  });

  it('receives the increase of a total in its own interval', () => {
    let total = 0;
    kept(new IncrementingPollingCounter(log, 'collections', () => total));
    const quick = asking(1);
    const slow = asking(5);
    for (let second = 1; second <= 10; second++) {
      total += second;
      vi.advanceTimersByTime(1000);
    }
    const told = ({ Increment }: SumPayload) => Increment;
    expect(quick.payloads().map(told)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(slow.payloads().map(told)).toEqual([15, 40]);
  });

  it('receives counters created later', () => {
    const { payloads } = asking(1);
    kept(new PollingCounter(log, 'late', () => 1));
    vi.advanceTimersByTime(1000);
    expect(payloads()).toMatchObject([{ Name: 'late' }]);
  });

  it('does not receive closed counters', () => {
    const { payloads } = asking(1);
    new PollingCounter(log, 'closed', () => 1).close();
    vi.advanceTimersByTime(1000);
    expect(payloads()).toEqual([]);
  });

  it.each([0, -1, '', 'often', 1e12])('that requests an interval of %j receives nothing', (seconds) => {
    kept(new PollingCounter(log, 'queue', () => 1));
    asking(seconds);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that changes its interval receives the new one', () => {
    kept(new PollingCounter(log, 'queue', () => 1));
    const { listener, payloads } = asking(1);
    listener.enableEvents(log, 4, 0n, { EventCounterIntervalSec: 0.1 });
    vi.advanceTimersByTime(100);
    expect(payloads()).toMatchObject([{ Series: 'Interval=100' }]);
  });

  it('that leaves while its counters are first read no longer counts', () => {
    let readings = 0;
    const leaving = new EventListener({});
    const read = () => {
      readings++;
      leaving.close();
      return { take: () => undefined, end: () => readings-- };
    };
    const counters: GroupedCounter[] = [{ read }, { read }];
    for (const counter of counters) counterGroup(log).add(counter);
    leaving.enableEvents(log, 4, 0n, { EventCounterIntervalSec: 1 });
    expect(readings).toBe(0);
    for (const counter of counters) counterGroup(log).remove(counter);
  });

  it('that leaves does not leave a timer behind', () => {
    kept(new PollingCounter(log, 'queue', () => 1));
    const { listener } = asking(1);
    expect(vi.getTimerCount()).toBe(1);
    listener.disableEvents(log);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a counter', () => {
  it('that throws is reported once, and does not affect others', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    kept(
      new PollingCounter(log, 'broken', () => {
        throw new Error('no such queue');
      }),
    );
    kept(new PollingCounter(log, 'whole', () => 1));
    const { payloads } = asking(1);
    vi.advanceTimersByTime(2000);
    expect(payloads().map(({ Name }) => Name)).toEqual(['whole', 'whole']);
    expect(warn.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      'The counter Counters-Test.broken threw: Error: no such queue',
    ]);
  });

  it('that fails at first reports values once it works', () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    let total = Number.NaN;
    kept(new IncrementingPollingCounter(log, 'rate', () => total));
    kept(new ShareCounter(log, 'share', () => total, {}));
    const { payloads } = asking(1);
    for (const next of [Number.NaN, 1000, 1500]) {
      total = next;
      vi.advanceTimersByTime(1000);
    }
    expect(payloads().map(({ Name }) => Name)).toEqual(['rate', 'share']);
  });

  it('is rejected with an invalid name or option', () => {
    expect(() => new EventCounter(log, '')).toThrow(
      "Counters-Test: a counter's name must be a non-empty string",
    );
    expect(() => new EventCounter(log, 'x', { metadata: { a: '1,2' } })).toThrow(
      'Counters-Test.x: metadata must not contain ":" or ",", unlike "a" with "1,2".',
    );
    expect(() => new IncrementingEventCounter(log, 'x', { displayRateMs: 0 })).toThrow(
      'Counters-Test.x: displayRateMs must be whole seconds, a multiple of 1000 below 86400000, not 0.',
    );
  });
});
