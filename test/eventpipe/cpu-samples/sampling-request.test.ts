/** Which sessions get CPU samples, and how often. */
import { expect, it } from 'vitest';
import { samplingRequest } from '../../../lib/eventpipe/cpu-samples/cpu-samples.ts';

const ASKED = { level: 4, arguments: {}, filter: undefined };

it('samples are Informational, and .NET takes one every millisecond', () => {
  expect(samplingRequest(undefined)).toBeUndefined();
  expect(samplingRequest({ ...ASKED, level: 3 })).toBeUndefined();
  for (const level of [4, 5, 0]) expect(samplingRequest({ ...ASKED, level })).toEqual({ intervalMs: 1 });
});

it('a filter may exclude them: their id is 0', () => {
  const filtered = (isAllowList: boolean, ...ids: number[]) =>
    samplingRequest({ ...ASKED, filter: { isAllowList, ids } }) !== undefined;
  expect(filtered(true, 0, 7)).toBe(true);
  expect(filtered(true, 7)).toBe(false);
  expect(filtered(false, 0)).toBe(false);
  expect(filtered(false)).toBe(true);
});

it.each([
  ['10', 10],
  ['0.1', 0.1],
  ['10000', 10_000],
  ['0.05', 1],
  ['100000', 1],
  ['-1', 1],
  ['often', 1],
])('the argument SampleProfilerIntervalMS of %s makes it %d', (SampleProfilerIntervalMS, intervalMs) => {
  expect(samplingRequest({ ...ASKED, arguments: { SampleProfilerIntervalMS } })).toEqual({ intervalMs });
});
