/** Selecting events by id. */
import { describe, expect, it } from 'vitest';
import { eventIdTest, passesEventFilter } from '../../lib/listen/filter.ts';
import type { EventFilter } from '../../lib/wire/diagnostics-ipc/tracing.ts';

it('an absent filter passes all events', () => {
  expect(passesEventFilter(undefined, 7)).toBe(true);
});

describe.each([
  ['asked once', passesEventFilter],
  ['made for many events', (filter: EventFilter, id: number) => eventIdTest(filter)(id)],
])('an event filter, %s,', (_, passes) => {
  const passing = (isAllowList: boolean, ids: readonly number[]) =>
    [1, 2, 3].filter((id) => passes({ isAllowList, ids }, id));

  it('that excludes none passes all', () => {
    expect(passing(false, [])).toEqual([1, 2, 3]);
  });

  it('that includes passes those on its list', () => {
    expect(passing(true, [1, 3, 9])).toEqual([1, 3]);
    expect(passing(true, [])).toEqual([]);
  });

  it('that excludes passes those not on its list', () => {
    expect(passing(false, [2])).toEqual([1, 3]);
  });
});
