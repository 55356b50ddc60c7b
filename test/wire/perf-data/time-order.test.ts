import { describe, expect, it } from 'vitest';
import { TimeOrder, type Window } from '../../../lib/wire/perf-data/time-order.ts';
import { randomNumbers } from '../eventheader/event-bytes.ts';

type Step = number | 'round' | 'end';

/** Of each record 10 bytes are held. */
const SIZE = 10;

function add<What>(order: TimeOrder<What>, time: number, what: What): void {
  order.add(Math.floor(time / 2 ** 32), time % 2 ** 32, what, undefined, 0, SIZE);
}

function taken<What>(order: TimeOrder<What>): What[] {
  const ready: What[] = [];
  while (order.next()) ready.push(order.what);
  return ready;
}

/** What is given out, step by step. */
function given(steps: readonly Step[], window?: Window): number[][] {
  const order = new TimeOrder<number>(window);
  return steps.map((step) => {
    if (step === 'round') order.finishRound();
    else if (step === 'end') order.finish();
    else add(order, step, step);
    return taken(order);
  });
}

describe('what was recorded in the order of time', () => {
  it('is sorted across rounds', () => {
    const steps: Step[] = [5, 1, 'round', 4, 7, 'round', 6, 9, 'end'];
    expect(given(steps).flat()).toEqual([1, 4, 5, 6, 7, 9]);
  });

  it('is sorted by both halves of the time', () => {
    const [early, late] = [2 ** 32 + 1, 2 ** 33];
    expect(given([late, 5, early, 2 ** 32 - 1, 'end']).flat()).toEqual([5, 2 ** 32 - 1, early, late]);
  });

  it('stays in file order for equal times', () => {
    const order = new TimeOrder<string>();
    add(order, 2, 'a');
    add(order, 1, 'b');
    add(order, 2, 'c');
    order.finish();
    expect(taken(order)).toEqual(['b', 'a', 'c']);
  });

  it('is sorted however the buffers of processors overlap', () => {
    const random = randomNumbers(3);
    for (let round = 0; round < 50; round++) {
      const order = new TimeOrder<{ time: number; at: number }>();
      const records = Array.from({ length: random(3000) }, (_, at) => {
        // Some in order, some not, many at one time.
        const time = round % 3 === 0 ? random(50) : ((at * 7) % 501) + random(1 + (round % 5));
        return { time, at };
      });
      for (const record of records) add(order, record.time, record);
      order.finish();
      expect(taken(order)).toEqual(records.toSorted((a, b) => a.time - b.time || a.at - b.at));
    }
  });

  it('is delivered after the end of the next round, not of the file', () => {
    expect(given([1, 'round', 2, 'round'])).toEqual([[], [], [], [1]]);
  });

  it('is late if something later has been delivered: it is delivered, but out of order', () => {
    const order = new TimeOrder<number>({ bytes: 1_000, items: 4 });
    for (const time of [4, 2, 1, 3]) {
      expect(order.isLate(0, time)).toBe(false);
      add(order, time, time);
    }
    expect(taken(order)).toEqual([1, 2]);
    expect([order.isLate(0, 1), order.isLate(0, 2), order.isLate(0, 3)]).toEqual([true, false, false]);
    add(order, 1, 1);
    order.finish();
    expect(taken(order)).toEqual([1, 3, 4]);
    expect(order.isLate(0, 3)).toBe(true);
  });

  it('is ready until all of it has been taken, and comes once if the end comes before that', () => {
    const order = new TimeOrder<number>();
    for (const time of [2, 1]) add(order, time, time);
    order.finishRound();
    expect(order.hasReady).toBe(false);
    add(order, 3, 3);
    order.finishRound();
    expect([order.hasReady, order.next(), order.what, order.timeLow]).toEqual([true, true, 1, 1]);
    order.finish();
    expect(taken(order)).toEqual([2, 3]);
    expect([order.hasReady, order.next()]).toEqual([false, false]);
  });

  it('is delivered without a round if more is there than is held', () => {
    const steps: Step[] = [4, 2, 1, 3, 5, 'end'];
    const expected = [[], [], [], [1, 2], [], [3, 4, 5]];
    expect(given(steps, { bytes: 1_000, items: 4 })).toEqual(expected);
    expect(given(steps, { bytes: 40, items: 1_000 })).toEqual(expected);
  });
});
