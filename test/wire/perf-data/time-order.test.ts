import { describe, expect, it } from 'vitest';
import type { PerfRecord } from '../../../lib/wire/perf-data/records.ts';
import { inTimeOrder } from '../../../lib/wire/perf-data/time-order.ts';

const at = (timeNs: bigint, offset = 0): PerfRecord => ({
  kind: 'lost',
  offset,
  count: 1n,
  ids: timeNs < 0n ? {} : { timeNs },
});
const untimed = (offset: number) => at(-1n, offset);
const round: PerfRecord = { kind: 'finishedRound', offset: 0 };

function timesOf(records: Iterable<PerfRecord>): (bigint | undefined)[] {
  return [...records]
    .filter((found) => found.kind !== 'finishedRound')
    .map((found) => ('ids' in found ? found.ids.timeNs : 0n));
}

describe('records in the order of time', () => {
  it('are those of the file, sorted across rounds', () => {
    const records = [at(5n), at(1n), round, at(4n), at(7n), round, at(6n), at(9n)];
    expect(timesOf(inTimeOrder(records))).toEqual([1n, 4n, 5n, 6n, 7n, 9n]);
  });

  it('keep the order of the file where times are the same', () => {
    const offsets = [...inTimeOrder([at(2n, 1), at(1n, 2), at(2n, 3)])].map((found) => found.offset);
    expect(offsets).toEqual([2, 1, 3]);
  });

  it('without a time come at once', () => {
    const offsets = [...inTimeOrder([at(2n, 1), untimed(2), at(1n, 3)])].map((found) => found.offset);
    expect(offsets).toEqual([2, 3, 1]);
  });

  it('are given out two rounds late, not at the end of the file', () => {
    function* records(): Generator<PerfRecord> {
      yield* [at(1n), round, at(2n), round];
      throw new Error('read on');
    }
    const ordered = inTimeOrder(records());
    expect([ordered.next().value, ordered.next().value]).toEqual([round, at(1n)]);
  });
});
