import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME_OFFSET } from '../../../../lib/wire/perf-data/write/attr.ts';
import { DESCRIPTIONS_SIZE, Descriptions } from '../../../../lib/wire/perf-data/write/descriptions.ts';
import type { RecordedEvent } from '../../../../lib/wire/perf-data/write/features.ts';
import { fileEnd, HEADER_SIZE } from '../../../../lib/wire/perf-data/write/file.ts';
import { announcement, passedRecords, recordingStart } from '../../../../lib/wire/perf-data/write/pipe.ts';
import { commRecord, FINISHED_ROUND, lostRecord } from '../../../../lib/wire/perf-data/write/records.ts';
import { readPerfData } from '../perf-data-file.ts';
import { EVENT, FORMAT, facts, SIDE_BAND_EVENT, sample } from './recorded.ts';

const [tracepoint, sideBand] = facts.events;
if (tracepoint === undefined || sideBand === undefined) throw new Error('The recording has two events.');
const other = { ...sideBand, ids: [1000n, 1001n] };
const EMPTY = new Uint8Array(0);
const FORMATS = new Map([['user_events', [new TextEncoder().encode(FORMAT)]]]);

function fileWith(...records: readonly Uint8Array[]): Uint8Array {
  const data = Buffer.concat(records);
  const { header, tail } = fileEnd(HEADER_SIZE, data.length, facts);
  return Buffer.concat([header, data, tail]);
}

describe('a file around recorded events', () => {
  it('reads back as what was recorded', () => {
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

  it('contains the names of threads, and what was lost', () => {
    const records = readPerfData(
      fileWith(commRecord(10, 11, 'node'), lostRecord(SIDE_BAND_EVENT, 3, 7n), FINISHED_ROUND),
    ).records();
    expect([...records]).toMatchObject([
      { kind: 'comm', pid: 10, tid: 11, comm: 'node' },
      { kind: 'lost', count: 3n, ids: { timeNs: 7n } },
      { kind: 'finishedRound' },
    ]);
  });

  it('contains the time of its samples where the recorder looks for it', () => {
    expect(new DataView(sample(2000n).buffer).getBigUint64(SAMPLE_TIME_OFFSET, true)).toBe(2000n);
  });
});

describe('a file whose recording is running, or was killed', () => {
  const head = recordingStart(facts);
  const start = head.length + DESCRIPTIONS_SIZE;
  const formats = { pageSize: 4096, headerPage: EMPTY, headerEvent: EMPTY, formats: FORMATS };
  const records = Buffer.concat([sample(1000n), FINISHED_ROUND, sample(2000n), FINISHED_ROUND]);
  const announced = announcement(tracepoint, facts.tracingData);

  const named: readonly RecordedEvent[] = [sideBand, tracepoint];

  /** Described so often, of which the last time ends after so many pieces. */
  function described(times: number, pieces = 4): Uint8Array {
    const file = Buffer.concat([head, new Uint8Array(DESCRIPTIONS_SIZE)]);
    const descriptions = new Descriptions(head.length);
    for (let time = 1; time <= times; time++) {
      const events = time < times ? named : [...named, other];
      const all = descriptions.describe(events, formats) ?? [];
      for (const { position, bytes } of all.slice(0, time < times ? 4 : pieces)) file.set(bytes, position);
    }
    return file;
  }

  const timesOf = (file: Uint8Array) => {
    const times: bigint[] = [];
    try {
      for (const record of readPerfData(file).records()) {
        if (record.kind === 'sample') times.push(record.timeNs ?? 0n);
      }
    } catch (error) {
      if (!/ends inside a record|ends \d+ bytes before|there is of/.test(String(error))) throw error;
    }
    return times;
  };

  it('can be read as far as it goes, wherever it stops', () => {
    const whole = Buffer.concat([described(1), records]);
    const firstEnd = start + sample(0n).length;
    const secondEnd = firstEnd + FINISHED_ROUND.length + sample(0n).length;
    for (let end = start; end <= whole.length; end++) {
      const times = timesOf(whole.subarray(0, end));
      expect(times).toEqual([...(end < firstEnd ? [] : [1000n]), ...(end < secondEnd ? [] : [2000n])]);
    }
  });

  it.each([2, 3, 4])('has its events described while they are described again, the %ith time', (times) => {
    for (const pieces of [0, 1, 2, 3, 4]) {
      const file = Buffer.concat([described(times, pieces), records]);
      expect(timesOf(file)).toEqual([1000n, 2000n]);
      const { session, records: read } = readPerfData(file);
      for (const _ of read());
      expect(session.attrs.length).toBe(pieces === 4 ? 3 : 2);
      expect([...session.tracepoints.values()].map(({ name }) => name)).toEqual(['P_L5K1']);
    }
  });

  it('says if there are more events than fit', () => {
    const many = Array.from({ length: 2000 }, () => other);
    expect(new Descriptions(0).describe(many, formats)).toBeUndefined();
  });

  it('contains everything once completed, with the announcements skipped', () => {
    expect(announced.length % 8).toBe(0);
    const file = Buffer.concat([described(3), announced, records]);
    expect(timesOf(file)).toEqual([1000n, 2000n]);
    for (const { offset, head } of passedRecords(announced.length)) file.set(head, start + offset);
    const { header, tail } = fileEnd(start, file.length - start, facts);
    file.set(header, 0);
    const ended = Buffer.concat([file, tail]);
    const kinds = [...readPerfData(ended).records()].map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'other')).toEqual([
      'sample',
      'finishedRound',
      'sample',
      'finishedRound',
    ]);
  });

  it('skips the announcements in as many records as it takes', () => {
    const heads = [...passedRecords(0x2_0010)].map(({ offset, head }) => [
      offset,
      new DataView(head.buffer, head.byteOffset).getUint16(6, true),
    ]);
    expect(heads).toEqual([
      [0, 0xfff8],
      [0xfff8, 0xfff8],
      [0x1_fff0, 0x20],
    ]);
  });
});
