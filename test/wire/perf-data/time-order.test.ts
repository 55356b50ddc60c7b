import { describe, expect, it } from 'vitest';
import { TimeOrder } from '../../../lib/wire/perf-data/time-order.ts';

type Step = bigint | 'round' | 'end';

/** What is given out, step by step. */
function given(steps: readonly Step[], window?: { bytes: number; items: number }): bigint[][] {
  const order = new TimeOrder<bigint>(window);
  return steps.map((step) => {
    if (step === 'round') order.finishRound();
    else if (step === 'end') order.finish();
    else order.add(step, step, 10);
    return order.take();
  });
}

describe('what was recorded in the order of time', () => {
  it('is sorted across rounds', () => {
    const steps: Step[] = [5n, 1n, 'round', 4n, 7n, 'round', 6n, 9n, 'end'];
    expect(given(steps).flat()).toEqual([1n, 4n, 5n, 6n, 7n, 9n]);
  });

  it('keeps the order of the file where times are the same', () => {
    const order = new TimeOrder<string>();
    order.add(2n, 'a', 1);
    order.add(1n, 'b', 1);
    order.add(2n, 'c', 1);
    order.finish();
    expect(order.take()).toEqual(['b', 'a', 'c']);
  });

  it('is given out when the round after its own ends, not at the end of the file', () => {
    expect(given([1n, 'round', 2n, 'round'])).toEqual([[], [], [], [1n]]);
  });

  it('is late where something later has been given out: it comes, but out of order', () => {
    const order = new TimeOrder<bigint>({ bytes: 1_000, items: 4 });
    for (const time of [4n, 2n, 1n, 3n]) {
      expect(order.isLate(time)).toBe(false);
      order.add(time, time, 10);
    }
    expect(order.take()).toEqual([1n, 2n]);
    expect([order.isLate(1n), order.isLate(2n), order.isLate(3n)]).toEqual([true, false, false]);
    order.add(1n, 1n, 10);
    order.finish();
    expect(order.take()).toEqual([1n, 3n, 4n]);
    expect(order.isLate(3n)).toBe(true);
  });

  it('is given out without a round when more is there than is held', () => {
    const steps: Step[] = [4n, 2n, 1n, 3n, 5n, 'end'];
    const expected = [[], [], [], [1n, 2n], [], [3n, 4n, 5n]];
    expect(given(steps, { bytes: 1_000, items: 4 })).toEqual(expected);
    expect(given(steps, { bytes: 40, items: 1_000 })).toEqual(expected);
  });
});
