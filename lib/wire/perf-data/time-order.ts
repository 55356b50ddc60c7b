/**
 * Records in the order of time. perf writes the buffer of one processor after the other, so that in a file
 * time jumps back; a `finishedRound` record says how far back it can still go.
 */
import type { PerfRecord } from './records.ts';

/** The record's time in nanoseconds of the recording's clock, if it has one. */
export function timeOf(record: PerfRecord): bigint | undefined {
  switch (record.kind) {
    case 'sample':
      return record.timeNs;
    case 'finishedRound':
      return undefined;
    default:
      return record.ids.timeNs;
  }
}

/**
 * The same records in the order of their time, those of the same time in file order. Records without a time
 * come as soon as they are read. At the end of a round all that is not later than the latest of the round
 * before is final, and is given out; so only two rounds are held in memory.
 */
export function* inTimeOrder(records: Iterable<PerfRecord>): Generator<PerfRecord> {
  let held: { time: bigint; record: PerfRecord }[] = [];
  let latest = 0n;
  let final = 0n;
  for (const record of records) {
    const time = timeOf(record);
    if (time !== undefined && time !== 0n) {
      held.push({ time, record });
      if (time > latest) latest = time;
      continue;
    }
    if (record.kind === 'finishedRound') {
      held.sort(byTime);
      const keepFrom = held.findIndex((entry) => entry.time > final);
      const ready = keepFrom < 0 ? held : held.slice(0, keepFrom);
      held = keepFrom < 0 ? [] : held.slice(keepFrom);
      for (const entry of ready) yield entry.record;
      final = latest;
    }
    yield record;
  }
  held.sort(byTime);
  for (const entry of held) yield entry.record;
}

function byTime(a: { time: bigint }, b: { time: bigint }): number {
  if (a.time === b.time) return 0;
  return a.time < b.time ? -1 : 1;
}
