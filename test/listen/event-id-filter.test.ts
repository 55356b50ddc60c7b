/** Which events pass by their ids. */
import { describe, expect, it } from 'vitest';
import { eventIdTest, passesEventFilter } from '../../lib/listen/filter.ts';
import type { EventFilter } from '../../lib/wire/diagnostics-ipc/tracing.ts';

it('a filter that is absent lets all events pass', () => {
  expect(passesEventFilter(undefined, 7)).toBe(true);
});

describe.each([
  ['asked once', passesEventFilter],
  ['made for many events', (filter: EventFilter, id: number) => eventIdTest(filter)(id)],
])('a filter of events, %s,', (_, passes) => {
  const passing = (isAllowList: boolean, ids: readonly number[]) =>
    [1, 2, 3].filter((id) => passes({ isAllowList, ids }, id));

  it('that denies none lets all pass', () => {
    expect(passing(false, [])).toEqual([1, 2, 3]);
  });

  it('that allows lets those pass that it has', () => {
    expect(passing(true, [1, 3, 9])).toEqual([1, 3]);
    expect(passing(true, [])).toEqual([]);
  });

  it('that denies lets those pass that it does not have', () => {
    expect(passing(false, [2])).toEqual([1, 3]);
  });
});
