import { describe, expect, it } from 'vitest';
import { passesEventFilter } from '../../lib/session/event-filter.ts';

const passing = (isAllowList: boolean, ids: readonly number[]) =>
  [1, 2, 3].filter((id) => passesEventFilter({ isAllowList, ids }, id));

describe('a filter of events', () => {
  it('that is absent, or denies none, lets all pass', () => {
    expect(passesEventFilter(undefined, 7)).toBe(true);
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
