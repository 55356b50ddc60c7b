import { describe, expect, it } from 'vitest';
import { readPerfData } from '../../../../lib/wire/perf-data/file.ts';
import { SAMPLE_TIME_OFFSET } from '../../../../lib/wire/perf-data/write/attr.ts';
import { fileEnd, HEADER_SIZE, UNFINISHED_HEADER } from '../../../../lib/wire/perf-data/write/file.ts';
import { commRecord, FINISHED_ROUND, lostRecord } from '../../../../lib/wire/perf-data/write/records.ts';
import { EVENT, facts, SIDE_BAND_EVENT, sample } from './recorded.ts';

function fileWith(...records: readonly Uint8Array[]): Uint8Array {
  const data = Buffer.concat(records);
  const { header, tail } = fileEnd(data.length, facts);
  return Buffer.concat([header, data, tail]);
}

describe('a file around recorded events', () => {
  it('is read as what was recorded', () => {
    const file = fileWith(commRecord(10, 11, 'node'), sample(2000n), sample(1000n), FINISHED_ROUND);
    const head = {
      kind: 'sample',
      pid: 10,
      tid: 11,
      cpu: 3,
      tracepoint: { name: 'P_L5K1', eventHeaderOffset: 8 },
    };
    const samples = [...readPerfData(file).records()].filter((each) => each.kind === 'sample');
    expect(samples).toMatchObject([
      { ...head, timeNs: 2000n },
      { ...head, timeNs: 1000n },
    ]);
    expect(samples[0]?.raw?.subarray(8, 8 + EVENT.length)).toEqual(Uint8Array.from(EVENT));
  });

  it('has the names of threads, and what was lost', () => {
    const records = readPerfData(
      fileWith(commRecord(10, 11, 'node'), lostRecord(SIDE_BAND_EVENT, 3, 7n), FINISHED_ROUND),
    ).records();
    expect([...records]).toMatchObject([
      { kind: 'comm', pid: 10, tid: 11, comm: 'node' },
      { kind: 'lost', count: 3n, ids: { timeNs: 7n } },
      { kind: 'finishedRound' },
    ]);
  });

  it('has the time of its samples where the recorder looks for it', () => {
    expect(new DataView(sample(2000n).buffer).getBigUint64(SAMPLE_TIME_OFFSET, true)).toBe(2000n);
  });

  it('has a header of the same size before it is ended', () => {
    const { header } = fileEnd(0, facts);
    expect([UNFINISHED_HEADER.length, header.length]).toEqual([HEADER_SIZE, HEADER_SIZE]);
  });
});
