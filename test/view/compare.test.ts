/** Two traces side by side. */
import { describe, expect, it } from 'vitest';
import { compareStats } from '../../lib/view/compare-stats.ts';
import { statsOf } from './read-views.ts';
import { during } from './written-events.ts';

describe('a comparison', () => {
  it('puts names side by side, the largest change first', () => {
    const before = statsOf(during(['A', '//1/1', 0, 10], ['B', '//1/2', 0, 10]));
    const after = statsOf(during(['A', '//1/1', 0, 11], ['C', '//1/2', 0, 3]));
    expect(
      compareStats(before, after).map(({ name, before, after, totalChangeNs }) => [
        name,
        before?.totalNs,
        after?.totalNs,
        totalChangeNs,
      ]),
    ).toEqual([
      ['Demo/B', 10e6, undefined, -10e6],
      ['Demo/C', undefined, 3e6, 3e6],
      ['Demo/A', 10e6, 11e6, 1e6],
    ]);
  });
});
