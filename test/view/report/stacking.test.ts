/** The row of each bar in its lane. */
import { describe, expect, it } from 'vitest';
import { stack } from '../../../lib/pages/stacking.ts';

/** In the order of starts; the parent is an index. */
type Bar = readonly [from: number, to: number, parent?: number, lane?: number];

function rows(...bars: readonly Bar[]) {
  return rowsOf(bars);
}

function rowsOf(bars: readonly Bar[]) {
  const { row, laneHeights } = stack(
    {
      start: Float64Array.from(bars, ([from]) => from),
      end: Float64Array.from(bars, ([, to]) => to),
      parent: Int32Array.from(bars, ([, , parent = -1]) => parent),
      lane: Int32Array.from(bars, ([, , , lane = 0]) => lane),
    },
    1 + bars.reduce((most, [, , , lane = 0]) => Math.max(most, lane), 0),
  );
  return { rows: Array.from(row), heights: Array.from(laneHeights) };
}

describe('bars', () => {
  it('share a row unless they overlap', () => {
    expect(rows([0, 2], [2, 4], [3, 5], [4, 6])).toEqual({ rows: [0, 0, 1, 0], heights: [2] });
  });

  it('are below their parent', () => {
    expect(rows([0, 9], [1, 3, 0], [2, 3, 1], [4, 6, 0])).toEqual({ rows: [0, 1, 2, 1], heights: [3] });
  });

  it('leave room for everything inside the ones above', () => {
    expect(rows([0, 9], [1, 5, 0], [2, 4, 1], [3, 6, 0], [3, 8])).toEqual({
      rows: [0, 1, 2, 3, 4],
      heights: [5],
    });
  });

  it('keep the row free while something inside outlasts them', () => {
    expect(rows([0, 2], [1, 9, 0], [3, 4])).toEqual({ rows: [0, 1, 2], heights: [3] });
  });

  it('are stacked separately in each lane', () => {
    expect(rows([0, 9, -1, 0], [1, 9, -1, 1], [2, 9, -1, 0])).toEqual({ rows: [0, 0, 1], heights: [2, 1] });
  });

  it('may be nested to any depth, and any number may overlap', () => {
    const deep = Array.from({ length: 20_000 }, (_, index): Bar => [index, 50_000, index - 1]);
    expect(rowsOf(deep).heights).toEqual([20_000]);
    const wide = Array.from({ length: 100_000 }, (_, index): Bar => [index, 1e9 + index]);
    expect(rowsOf(wide).heights).toEqual([100_000]);
  });

  it('may be none', () => {
    expect(rows()).toEqual({ rows: [], heights: [0] });
  });
});
