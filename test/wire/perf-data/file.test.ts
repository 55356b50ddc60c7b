import { describe, expect, it } from 'vitest';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { randomNumbers } from '../eventheader/event-bytes.ts';
import {
  Bytes,
  EVENT_ID,
  fileBytes,
  finishedRound,
  ids,
  record,
  sample,
  TRACEPOINT_ID,
} from './file-bytes.ts';
import { readPerfData } from './perf-data-file.ts';

/** An EventHeader event "E" with a u8 field, little-endian whatever the file is. */
const EVENT = [7, 0, 0, 0, 0, 0, 0, 5, 5, 0, 1, 0, 0x45, 0, 0x69, 0, 2, 9];

function errorOf(read: () => unknown): TraceError {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(TraceError);
    return error as TraceError;
  }
  throw new Error('no error was thrown');
}

describe.each([true, false])('a perf.data file (little-endian: %s)', (littleEndian) => {
  const open = (records: readonly Uint8Array[], features?: ReadonlyMap<number, Uint8Array>) =>
    readPerfData(fileBytes({ littleEndian, records, ...(features === undefined ? {} : { features }) }));
  const only = (bytes: Uint8Array) => [...open([bytes]).records()][0];

  it('contains the build ids of programs', () => {
    const id = [0xab, ...new Array(18).fill(0), 0xcd];
    const buildIds = new Bytes(littleEndian).u32(67).u16(0).u16(44).u32(1).raw(id).raw([20, 0, 0, 0]);
    const file = open([finishedRound(littleEndian)], new Map([[2, buildIds.text('/bin/a\0\0').done()]]));
    expect([...file.session.buildIds]).toEqual([['/bin/a', `ab${'00'.repeat(18)}cd`]]);
  });

  it('names a build id that is shorter than itself as a problem', () => {
    const buildIds = new Bytes(littleEndian).u32(67).u16(0).u16(4).u32(1).raw(new Array(40).fill(0)).done();
    const { session } = open([finishedRound(littleEndian)], new Map([[2, buildIds]]));
    expect(session.problems).toEqual([
      expect.stringContaining('The feature BUILD_ID cannot be read: A build id cannot have 4 bytes.'),
    ]);
  });

  it('contains its attributes, with ids and names, and the formats of its tracepoints', () => {
    const eventDesc = new Bytes(littleEndian).u32(1).u32(8).u64(0).u32(1).u32(16);
    eventDesc.text('user_events:P_L5').pad(8).u64(EVENT_ID);
    const file = open([finishedRound(littleEndian)], new Map([[12, eventDesc.done()]]));
    expect(file.session.littleEndian).toBe(littleEndian);
    expect(file.session.attrs).toMatchObject([
      {
        type: 2,
        config: BigInt(TRACEPOINT_ID),
        ids: [EVENT_ID],
        sampleIdAll: true,
      },
    ]);
    expect(file.session.nameOf(file.session.firstAttr({ position: 0 }))).toBe('user_events:P_L5');
    expect(file.session.tracepoints.get(TRACEPOINT_ID)).toMatchObject({
      system: 'user_events',
      name: 'P_L5K1',
      eventHeaderOffset: 8,
    });
    expect(file.session.wallTimeOffsetNs).toBeUndefined();
  });

  it('contains the wall-clock time if perf recorded a clock', () => {
    const clock = new Bytes(littleEndian).u32(1).u32(1).u64(1_700_000_000_000_000_000n).u64(5_000n).done();
    const file = open([finishedRound(littleEndian)], new Map([[29, clock]]));
    expect(file.session.wallTimeOffsetNs).toBe(1_699_999_999_999_995_000n);
  });

  it('contains samples with everything their attribute requests', () => {
    expect(only(sample(littleEndian, { timeNs: 5n, payload: EVENT }))).toMatchObject({
      kind: 'sample',
      id: EVENT_ID,
      ip: 0x1000n,
      pid: 10,
      tid: 11,
      timeNs: 5n,
      addr: 0x2000n,
      cpu: 3,
      period: 1n,
      callchain: [0x3000n, 0x4000n],
      tracepoint: { name: 'P_L5K1', eventHeaderOffset: 8 },
    });
  });

  it('contains records of threads, mappings and losses, with the ids at their end', () => {
    const tail = { pid: 10, tid: 11, timeNs: 9n, cpu: 3, id: EVENT_ID };
    const read = (type: number, fill: (body: Bytes) => void) =>
      only(
        record(littleEndian, type, (body) => {
          fill(body);
          body.pad(8);
          ids(body, 9n);
        }),
      );
    expect(read(3, (body) => body.u32(1).u32(2).text('node\0'))).toMatchObject({
      kind: 'comm',
      pid: 1,
      tid: 2,
      comm: 'node',
      ids: tail,
    });
    const mapping = {
      kind: 'mmap',
      pid: 1,
      tid: 2,
      start: 3n,
      length: 4n,
      fileOffset: 5n,
      filename: '/lib',
      ids: tail,
    };
    expect(read(1, (body) => body.u32(1).u32(2).u64(3).u64(4).u64(5).text('/lib\0'))).toMatchObject(mapping);
    expect(
      read(10, (body) => body.u32(1).u32(2).u64(3).u64(4).u64(5).raw(new Array(32).fill(1)).text('/lib\0')),
    ).toMatchObject({ ...mapping, buildId: undefined });
    const withBuildId = record(littleEndian, 10, (body) => {
      const id = [3, 0, 0, 0, 0xab, 0xcd, 0xef, ...new Array(17).fill(0)];
      body.u32(1).u32(2).u64(3).u64(4).u64(5).raw(id).u64(0).text('/lib\0').pad(8);
      ids(body, 9n);
    });
    // In the header, misc says what the mapping has of its file.
    withBuildId[littleEndian ? 5 : 4] = 0x40;
    expect(only(withBuildId)).toMatchObject({ ...mapping, buildId: 'abcdef' });
    const thread = { pid: 1, parentPid: 2, tid: 3, parentTid: 4, timeNs: 5n, ids: tail };
    expect(read(7, (body) => body.u32(1).u32(2).u32(3).u32(4).u64(5))).toMatchObject({
      kind: 'fork',
      ...thread,
    });
    expect(read(4, (body) => body.u32(1).u32(2).u32(3).u32(4).u64(5))).toMatchObject({
      kind: 'exit',
      ...thread,
    });
    expect(read(2, (body) => body.u64(EVENT_ID).u64(6))).toMatchObject({
      kind: 'lost',
      count: 6n,
      ids: tail,
    });
    expect(read(13, (body) => body.u64(6))).toMatchObject({ kind: 'lostSamples', count: 6n, ids: tail });
    expect(read(14, () => {})).toMatchObject({ kind: 'other', type: 14, ids: tail });
  });

  it('contains records of the perf tool, which have no ids', () => {
    expect(only(record(littleEndian, 73, (body) => body.u64(1)))).toMatchObject({
      kind: 'other',
      type: 73,
      ids: {},
    });
    expect(only(finishedRound(littleEndian))).toMatchObject({ kind: 'finishedRound' });
  });

  it('may contain a processor trace between its records', () => {
    const auxtrace = record(littleEndian, 71, (body) => body.u64(16).raw(new Array(32).fill(0)));
    const kinds = [...open([auxtrace, new Uint8Array(16).fill(0xff), finishedRound(littleEndian)]).records()];
    expect(kinds.map((found) => found.kind)).toEqual(['other', 'finishedRound']);
  });

  it('contains tracepoints that are not EventHeader, with their own fields', () => {
    const fields = '\tfield:u32 size;\toffset:8;\tsize:4;\tsigned:0;\n';
    const records = [sample(littleEndian, { timeNs: 1n, payload: EVENT })];
    const { session } = readPerfData(fileBytes({ littleEndian, records, fields }));
    const tracepoint = session.tracepoints.get(TRACEPOINT_ID);
    expect(tracepoint).toMatchObject({ fields: [{ name: 'size' }] });
    expect(tracepoint).not.toHaveProperty('eventHeaderOffset');
  });
});

describe('a file that cannot be read', () => {
  const event = sample(true, { timeNs: 1n, payload: EVENT });
  const whole = fileBytes({ records: [event, finishedRound(true)] });
  const readAll = (bytes: Uint8Array) => [...readPerfData(bytes).records()];
  /** Of the only feature: its section is the last number of the table behind the data. */
  const featureSize = (bytes: Uint8Array) => {
    const view = new DataView(bytes.buffer);
    const table = Number(view.getBigUint64(40, true) + view.getBigUint64(48, true));
    return Number(view.getBigUint64(table + 8, true));
  };

  it('is not a perf.data', () => {
    expect(errorOf(() => readPerfData(new TextEncoder().encode('PERFFILE and more'))).message).toBe(
      'This is not perf.data: it does not start with PERFILE2. (at byte 0)',
    );
  });

  it('is compressed, and only read where it is unpacked', () => {
    const compressed = record(true, 81, (body) => body.u64(0));
    expect(errorOf(() => readAll(fileBytes({ records: [compressed] })))).toMatchObject({
      code: 'unsupported',
    });
  });

  it('has no data because perf was killed', () => {
    expect(errorOf(() => readPerfData(fileBytes({ records: [] }))).message).toContain('not ended properly');
  });

  it('has a sample of an unknown attribute', () => {
    const stray = sample(true, { timeNs: 1n, payload: EVENT, id: 78n });
    const error = errorOf(() => readAll(fileBytes({ records: [stray] })));
    expect(error.message).toContain('No attribute of the file has the id 78.');
  });

  it('has a damaged record, whose position is reported after all before it were delivered', () => {
    const damaged = Uint8Array.from([9, 0, 0, 0, 0, 0, 4, 0]);
    const records = readPerfData(fileBytes({ records: [event, damaged] }))
      .records()
      [Symbol.iterator]();
    const first = records.next().value;
    expect(first).toMatchObject({ kind: 'sample' });
    const error = errorOf(() => records.next());
    expect(error.offset).toBe((first?.offset ?? 0) + event.length);
  });

  it('ends early, at any position', () => {
    const features = whole.length - featureSize(whole);
    for (let length = 0; length < features; length++) {
      const { message } = errorOf(() => readAll(whole.subarray(0, length)));
      expect(message).toMatch(/\. \(at byte \d+\)$/);
    }
    // Without what follows, the records can be read.
    for (let length = features; length < whole.length; length++) {
      const { session, records } = readPerfData(whole.subarray(0, length));
      expect([...records()]).toHaveLength(2);
      expect(session.problems).toEqual([
        `The feature TRACING_DATA cannot be read: The file ends before feature 1, which should be at ` +
          `${features} to ${whole.length}. (at byte ${length})`,
      ]);
    }
  });

  it('is damaged in any way: it is read, or rejected with a TraceError', () => {
    const random = randomNumbers(7);
    let read = 0;
    let refused = 0;
    for (let round = 0; round < 5_000; round++) {
      const bytes = Uint8Array.from(whole);
      for (let i = random(4); i >= 0; i--) bytes[random(bytes.length)] = random(256);
      try {
        readAll(bytes);
        read++;
      } catch (error) {
        if (!(error instanceof TraceError)) throw error;
        refused++;
      }
    }
    // Both must happen, else the damage is not what it should be.
    expect(read).toBeGreaterThan(250);
    expect(refused).toBeGreaterThan(250);
  });
});
