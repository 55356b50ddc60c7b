/** The parts of the report page that need no browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../lib/base/byte-writer.ts';
import { packageFolder } from '../../../lib/base/package-files.ts';
import { histogram } from '../../../lib/pages/histogram.ts';
import { instants, nanoseconds, optionalNumbers, wholeNumbers } from '../../../lib/pages/numbers.ts';
import { findMatches } from '../../../lib/pages/search.ts';
import { TimeRange } from '../../../lib/pages/time-range.ts';
import { durationText, ticks } from '../../../lib/pages/time-text.ts';
import { type WrittenEvent, written } from '../written-events.ts';
import { reportOf } from './read-report.ts';

describe('numbers in a column', () => {
  const column = (...values: (number | undefined)[]) => {
    const bytes = new ByteWriter();
    for (const value of values) bytes.optionalVarUint(value);
    return bytes.current();
  };

  it('are decoded as they were encoded, missing ones as -1', () => {
    expect(Array.from(optionalNumbers(column(0, 126, 127, undefined, 2 ** 31 - 2)))).toEqual([
      0,
      126,
      127,
      -1,
      2 ** 31 - 2,
    ]);
    expect(Array.from(nanoseconds(column(2 ** 52, undefined), true))).toEqual([2 ** 52, -1]);
    expect(Array.from(wholeNumbers(column()))).toEqual([]);
  });

  it('may be steps of time', () => {
    const steps = new ByteWriter();
    for (const step of [0, 5, 1e15]) steps.varUint(step);
    expect(Array.from(instants(steps.current(), -3))).toEqual([-3, 2, 1e15 + 2]);
  });
});

describe('a search', () => {
  const events: WrittenEvent[] = [
    { name: 'RequestStart', at: 1, id: '//1/1', payload: { url: 'http://site/Straße' } },
    { name: 'Log', at: 2, id: '//1/1', payload: { message: 'say "hello"' } },
    { name: 'RequestStop', at: 3, id: '//1/1', payload: { a: 'hel', b: 'lo' } },
    { name: 'Other/Tick', at: 4 },
  ];
  const found = async (text: string) => {
    const { data } = await reportOf(events.map(written));
    const matches = await findMatches(
      data,
      text,
      async () => {},
      () => true,
    );
    return { activities: Array.from(matches?.activities ?? []), events: Array.from(matches?.events ?? []) };
  };

  it('finds names of events, activities and providers, regardless of case', async () => {
    expect(await found('request')).toEqual({ activities: [0], events: [0, 2] });
    expect(await found('OTHER/tick')).toEqual({ activities: [], events: [3] });
  });

  it('finds ids', async () => {
    expect(await found('//1/1')).toEqual({ activities: [0], events: [0, 1, 2] });
  });

  it('finds values, in full and not across two of them', async () => {
    expect(await found('say "HELLO"')).toEqual({ activities: [], events: [1] });
    expect((await found('hello')).events).toEqual([1]);
    expect(await found('straße')).toEqual({ activities: [0], events: [0] });
    expect(await found('nowhere')).toEqual({ activities: [], events: [] });
  });

  it('ends when it is no longer wanted', async () => {
    const { data } = await reportOf(events.map(written));
    expect(
      await findMatches(
        data,
        'log',
        async () => {},
        () => false,
      ),
    ).toBeUndefined();
  });
});

describe('the visible time', () => {
  const shown = (range: TimeRange) => [range.start, range.end];

  it('zooms around a position that stays in place', () => {
    const range = new TimeRange(0, 1000);
    range.zoom(0.5, 250);
    expect(shown(range)).toEqual([125, 625]);
    range.zoom(2, 250);
    expect(shown(range)).toEqual([0, 1000]);
  });

  it('stays within the trace, and above the resolution of a clock', () => {
    const range = new TimeRange(0, 1000);
    range.show(900, 1100);
    expect(shown(range)).toEqual([800, 1000]);
    range.pan(500);
    expect(shown(range)).toEqual([800, 1000]);
    range.zoom(1e-9, 900);
    expect(range.span).toBe(10);
    range.zoom(1e9, 900);
    expect(range.isWhole).toBe(true);
  });

  it('is a microsecond for a trace of a single instant', () => {
    expect(shown(new TimeRange(5, 5))).toEqual([5, 1005]);
  });
});

describe('times', () => {
  it('are shown in a suitable unit', () => {
    expect([0, 850, 1_500, 66_694_000, 1e9, 143e9, 7.2e12].map(durationText)).toEqual([
      '0 ns',
      '850 ns',
      '1.5 µs',
      '66.7 ms',
      '1 s',
      '143 s',
      '7,200 s',
    ]);
  });

  it('on a ruler are round', () => {
    expect(ticks(0, 1e9, 5).map(({ text }) => text)).toEqual([
      '0 ms',
      '200 ms',
      '400 ms',
      '600 ms',
      '800 ms',
      '1,000 ms',
    ]);
    expect(ticks(1234, 1290, 4).map(({ text }) => text)).toEqual(['1,240 ns', '1,260 ns', '1,280 ns']);
  });
});

describe('a histogram', () => {
  it('counts each duration once, in adjacent bars', () => {
    const durations = Float64Array.from({ length: 1000 }, (_, index) => index ** 2 * 1000);
    const buckets = histogram(durations);
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
    expect(buckets.length).toBeLessThanOrEqual(49);
    expect(buckets.every(({ to }, index) => (buckets[index + 1]?.from ?? to) === to)).toBe(true);
  });

  it('has one bar for what took no time, and none without durations', () => {
    expect(histogram(Float64Array.of(0, 0))).toMatchObject([{ from: 0, count: 2 }, { count: 0 }]);
    expect(histogram(Float64Array.of(5e6))).toEqual([{ from: 4.7e6, to: 5.6e6, count: 1 }]);
    expect(histogram(new Float64Array())).toEqual([]);
  });
});

describe('the script of the page', () => {
  it('is a single one, and does not close any HTML element', () => {
    const code = readFileSync(join(packageFolder(), 'dist/report/report.js'), 'utf8');
    expect(() => new Script(code)).not.toThrow();
    expect(code).not.toMatch(/^(?:import|export)\b|<\/script|<!--/im);
  });
});
