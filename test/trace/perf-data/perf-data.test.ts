import { describe, expect, it } from 'vitest';
import { openPerfData } from '../../../lib/trace/perf-data/open-perf-data.ts';
import { openStream } from '../../../lib/trace/source/stream-source.ts';
import { randomNumbers } from '../../wire/eventheader/event-bytes.ts';
import {
  Bytes,
  EVENT_ID,
  type FileParts,
  fileBytes,
  finishedRound,
  ids,
  pipeBytes,
  record,
  sample,
} from '../../wire/perf-data/file-bytes.ts';
import { readBytes, readPiped } from './read.ts';

/** An EventHeader event "RequestStart" of opcode 1 with an activity, the activity it comes from, and a u8 "i" of 9. */
const NAME = [...new TextEncoder().encode('RequestStart\0')];
const START_EVENT = [
  ...[7, 0, 0, 0, 0, 0, 1, 5],
  ...[32, 0, 2, 0x80, ...new Array(16).fill(0x11), ...new Array(16).fill(0x22)],
  ...[NAME.length + 3, 0, 1, 0, ...NAME, 0x69, 0, 2],
  9,
];
const at = (timeNs: bigint, payload: readonly number[] = START_EVENT) => sample(true, { timeNs, payload });
const round = finishedRound(true);
const clock = (wallNs: bigint, clockNs: bigint) =>
  new Map([[29, new Bytes(true).u32(1).u32(1).u64(wallNs).u64(clockNs).done()]]);
const text = (value: string) => new Bytes(true).u32(60).text(value).pad(64).done();

const PARTS: FileParts = {
  records: [at(1_003n), at(1_005n), at(1_002n), round, at(1_004n), at(1_006n), round, at(1_007n)],
  features: new Map([...clock(1_700_000_000_000_000_000n, 1_000n), [3, text('box')]]),
};

describe.each(['a file', 'a pipe'])('perf.data of %s', (where) => {
  const bytesOf = where === 'a file' ? fileBytes : pipeBytes;
  const read = (parts: FileParts) => readBytes(bytesOf(parts));

  it('has EventHeader events with everything they contain', async () => {
    const { events } = await read(PARTS);
    expect(events[0]?.toJSON()).toEqual({
      provider: 'P',
      providerGuid: undefined,
      name: 'RequestStart',
      id: 0,
      version: 0,
      level: 5,
      opcode: 1,
      opcodeName: 'Start',
      task: 0,
      taskName: 'Request',
      keywords: '0x1',
      channel: 0,
      processId: 10,
      threadId: 11,
      processor: 3,
      timestamp: '1700000000000000002',
      timeSinceStart: '2',
      activityId: '11111111-1111-1111-1111-111111111111',
      activityPath: undefined,
      relatedActivityId: '22222222-2222-2222-2222-222222222222',
      relatedActivityPath: undefined,
      payload: { i: 9 },
      payloadProblem: undefined,
      stack: ['0x3000', '0x4000'],
      position: expect.any(Number),
    });
    // With the padding of perf behind it.
    expect(events[0]?.payloadBytes[0]).toBe(9);
  });

  it('has no activity where an event with two ids has zeros for one', async () => {
    const zeros = new Array(16).fill(0);
    const payload = [...START_EVENT.slice(0, 12), ...zeros, ...START_EVENT.slice(28)];
    const [event] = (await read({ ...PARTS, records: [at(1_003n, payload), round] })).events;
    expect(event).toMatchObject({
      activityId: undefined,
      relatedActivityId: '22222222-2222-2222-2222-222222222222',
    });
  });

  it('delivers them in time order', async () => {
    const { events, fault } = await read(PARTS);
    expect(events.map(({ timeSinceStart }) => timeSinceStart)).toEqual([2n, 3n, 4n, 5n, 6n, 7n]);
    expect(fault).toBeUndefined();
  });

  it('counts those that arrive too late for that', async () => {
    // At the end of a round all up to the round before is final: here what comes behind two rounds.
    const records = [at(2n), round, at(4n), round, at(1n), at(3n), round];
    const { events, progress } = await read({ records });
    expect(events.map(({ timestamp }) => timestamp)).toEqual([2n, 1n, 3n, 4n]);
    expect(progress.lateEvents).toBe(1);
    expect((await read(PARTS)).progress.lateEvents).toBeUndefined();
  });

  it('describes the recording', async () => {
    const { info, progress } = await read(PARTS);
    expect(info).toEqual({
      format: 'perf.data',
      startTime: 1_700_000_000_000_000_000n,
      hasWallTime: true,
      pointerSize: 8,
      properties: { HOSTNAME: 'box' },
    });
    expect(progress.bytesRead).toBeGreaterThan(500);
  });

  it('without a clock starts with the earliest record of the first round', async () => {
    const { info, events } = await read({ records: PARTS.records });
    expect(info).toMatchObject({ startTime: 1_002n, hasWallTime: false });
    expect(events[0]).toMatchObject({ timestamp: 1_002n, timeSinceStart: 0n });
  });

  it('keeps a damaged event, and says what is wrong with it', async () => {
    const unknownFlags = [0x87, ...START_EVENT.slice(1)];
    const { events } = await read({ records: [at(1n, unknownFlags), at(2n, START_EVENT.slice(0, -1))] });
    expect(events[0]).toMatchObject({ provider: 'P', name: 'P_L5K1', level: 0, payload: {} });
    expect(events[0]?.payloadProblem).toBe('The header has unknown flags: 0x87. (at byte 0)');
    // perf's padding stands in for the byte that is missing.
    expect(events[1]).toMatchObject({ name: 'RequestStart', payload: { i: 0 } });
  });

  it('has events of any tracepoint, by its format', async () => {
    const fields =
      '\tfield:u32 size;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:__data_loc char[] who;\toffset:12;\tsize:4;\tsigned:0;\n';
    const payload = [7, 0, 0, 0, 16, 0, 3, 0, 0x6d, 0x65, 0];
    const cut = payload.slice(0, 4);
    const { events } = await read({ fields, tracepoint: 'alloc', records: [at(1n, payload), at(2n, cut)] });
    expect(events[0]).toMatchObject({ provider: 'user_events', name: 'alloc', level: 0 });
    expect({ ...events[0]?.payload }).toEqual({ size: 7, who: 'me' });
    expect(events[0]?.payloadProblem).toBeUndefined();
    expect({ ...events[1]?.payload }).toEqual({ size: 7 });
    expect(events[1]?.payloadProblem).toBe('The sample of 12 bytes ends before the fields who.');
  });

  it("has samples of anything else recorded, under perf's name for it", async () => {
    const names = new Bytes(true).u32(1).u32(8).u64(0).u32(1).raw(text('sched:wakeup')).u64(EVENT_ID);
    const format = '\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n';
    // The tracepoint of the sample is another than that whose format is there.
    const bytes = bytesOf({ fields: format, records: [at(1n)], features: new Map([[12, names.done()]]) });
    const { events } = await readBytes(replaceAll(bytes, 'ID: 1234', 'ID: 4321'));
    expect(events[0]).toMatchObject({ provider: 'sched', name: 'wakeup' });
    expect({ ...events[0]?.payload }).toEqual({ ip: 0x1000n, addr: 0x2000n, period: 1n });
  });

  it('derives names that perf has none for from what was recorded', async () => {
    const bytes = bytesOf({ records: [at(1n)] });
    const start = Buffer.from(bytes).indexOf(Buffer.from([2, 0, 0, 0, 136, 0, 0, 0]));
    const view = new DataView(bytes.buffer);
    view.setUint32(start, 1, true);
    view.setBigUint64(start + 8, 0n, true);
    view.setBigUint64(start + 40, (1n << 18n) | (1n << 5n) | (1n << 6n), true);
    const { events } = await readBytes(bytes);
    expect(events[0]).toMatchObject({ provider: 'perf', name: 'cpu-clock:u' });
  });

  it('identifies events by their order if they have no ids', async () => {
    const names = new Bytes(true).u32(1).u32(8).u64(0).u32(0).raw(text('cycles:u'));
    const bytes = bytesOf({ records: [at(1n)], features: new Map([[12, names.done()]]) });
    const { events } = await readBytes(replaceAll(bytes, 'ID: 1234', 'ID: 4321'));
    expect(events[0]).toMatchObject({ provider: 'cycles', name: 'u' });
  });

  describe.each([
    ['HOSTNAME', 3],
    ['OSRELEASE', 4],
    ['VERSION', 5],
    ['ARCH', 6],
    ['NRCPUS', 7],
    ['CPUDESC', 8],
    ['CPUID', 9],
    ['TOTAL_MEM', 10],
    ['CMDLINE', 11],
    ['EVENT_DESC', 12],
    ['SAMPLE_TIME', 21],
    ['CLOCK_DATA', 29],
  ])('with the feature %s', (name, bit) => {
    it.each([
      ['empty', [], `^The feature ${name} is empty\\.`],
      ['cut off', [200, 0, 0], `^The feature ${name} cannot be read: \\d+ bytes are needed in `],
      [
        'malformed',
        [0xff, 0xff, 0xff, 0xff],
        `^The feature ${name} cannot be read: \\d+ bytes are needed in `,
      ],
    ])('%s delivers its events, and says what is missing', async (_, content, problem) => {
      const features = new Map([
        [bit, Uint8Array.from(content)],
        ...(bit === 3 ? [] : ([[3, text('box')]] as const)),
      ]);
      const { events, fault, info } = await read({ records: [at(1n), at(2n), round], features });
      expect(events.map(({ name }) => name)).toEqual(['RequestStart', 'RequestStart']);
      expect(fault).toBeUndefined();
      // Through a pipe it may come in a record, whose body is a multiple of eight bytes.
      if (where === 'a file') {
        expect(info.problems).toHaveLength(1);
        expect(info.problems?.[0]).toMatch(new RegExp(problem));
      }
      expect(info.properties.HOSTNAME).toBe(bit === 3 ? undefined : 'box');
    });
  });

  it('reports names of processes and losses while it is read', async () => {
    const withIds = (type: number, fill: (body: Bytes) => void) =>
      record(true, type, (body) => {
        fill(body);
        body.pad(8);
        ids(body, 9n);
      });
    const records = [
      withIds(3, (body) => body.u32(5).u32(5).text('node\0')),
      withIds(3, (body) => body.u32(5).u32(6).text('worker\0')),
      withIds(7, (body) => body.u32(8).u32(5).u32(8).u32(5).u64(9)),
      withIds(2, (body) => body.u64(EVENT_ID).u64(3)),
      withIds(13, (body) => body.u64(2)),
      withIds(14, () => {}),
      record(true, 71, (body) => body.u64(24).raw(new Array(32).fill(0))),
      new Uint8Array(24).fill(0xff),
      at(10n),
    ];
    const { progress, events } = await read({ records });
    expect([...progress.processNames]).toEqual([
      [5, 'node'],
      [8, 'node'],
    ]);
    // Both records count the same losses.
    expect(progress).toMatchObject({ lostEvents: 3, lostBuffers: 0 });
    expect(events).toHaveLength(1);
  });

  it('that is damaged delivers all events before the damage, in time order', async () => {
    const damaged = Uint8Array.from([9, 0, 0, 0, 0, 0, 4, 0]);
    const { events, fault } = await read({ records: [at(3n), at(1n), damaged, at(4n)] });
    expect(events.map(({ timestamp }) => timestamp)).toEqual([1n, 3n]);
    const size = at(1n).length;
    expect(fault).toMatchObject({ code: 'malformed', offset: (events[0]?.position ?? 0) + size });
    expect(fault?.message).toContain('A record cannot have 4 bytes');
  });

  it('that is damaged in any way is read, or rejected with a TraceError', async () => {
    const whole = bytesOf(PARTS);
    const random = randomNumbers(11);
    let faults = 0;
    for (let i = 0; i < 1_000; i++) {
      const bytes = Uint8Array.from(whole);
      for (let j = random(4); j >= 0; j--) bytes[random(bytes.length)] = random(256);
      const fault = await readBytes(bytes).then(
        ({ events, fault }) => {
          for (const event of events) event.toJSON();
          return fault;
        },
        (error) => error,
      );
      if (fault === undefined) continue;
      expect(fault.name).toBe('TraceError');
      faults++;
    }
    expect(faults).toBeGreaterThan(50);
    expect(faults).toBeLessThan(950);
  });
});

describe('a pipe', () => {
  const bytes = pipeBytes(PARTS);

  it.each([1, 7, 64, 1_000])('yields the same, however many bytes arrive at a time: %i', async (size) => {
    const [piped, whole] = [await readPiped(bytes, size), await readBytes(bytes)];
    expect(piped.events.map((event) => event.toJSON())).toEqual(whole.events.map((event) => event.toJSON()));
    expect(piped.info).toEqual(whole.info);
    expect(piped.progress).toEqual(whole.progress);
  });

  it('delivers events as they arrive, and is closed when nobody wants more', async () => {
    let isClosed = false;
    async function* endless() {
      try {
        yield pipeBytes({ records: [], ...(PARTS.features && { features: PARTS.features }) });
        for (let time = 2_000n; ; time++) yield new Bytes(true).raw(at(time)).raw(round).done();
      } finally {
        isClosed = true;
      }
    }
    const reader = await openPerfData(await openStream(endless(), 'the pipe'), { manifests: [] });
    let count = 0;
    for await (const batch of reader.batches()) {
      count += batch.length;
      if (count >= 100) break;
    }
    expect(reader.progress.bytesRead).toBeLessThan(40_000);
    expect(isClosed).toBe(true);
  });

  it('may name its events in updates', async () => {
    const update = record(true, 78, (body) => body.u64(2).u64(EVENT_ID).text('cycles:u\0'));
    const piped = replaceAll(pipeBytes({ records: [update, at(1n)] }), 'ID: 1234', 'ID: 4321');
    const { events } = await readBytes(piped);
    expect(events[0]).toMatchObject({ provider: 'cycles', name: 'u' });
  });

  it('that ends inside a record says so, at any position', async () => {
    const ends = Array.from({ length: 40 }, (_, i) => bytes.length - 1 - i * 13);
    for (const end of ends) {
      const { fault, events } = await readPiped(bytes.subarray(0, end), 100);
      const isBetweenRecords = fault === undefined;
      expect(isBetweenRecords || fault.code === 'truncated').toBe(true);
      expect(events.length).toBeLessThan(6);
    }
  });
});

describe('a file', () => {
  it('from a big-endian machine has the same events', async () => {
    const [big, little] = [false, true].map((littleEndian) => {
      const records = [5n, 3n].map((timeNs) => sample(littleEndian, { timeNs, payload: START_EVENT }));
      return readBytes(fileBytes({ littleEndian, records }));
    });
    const events = (await big)?.events.map((event) => event.toJSON());
    expect(events).toHaveLength(2);
    expect(events).toEqual((await little)?.events.map((event) => event.toJSON()));
  });

  it('that claims more than it contains is rejected before memory is allocated for it', async () => {
    const bytes = fileBytes(PARTS);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(32, 1n << 40n, true); // of the attributes
    await expect(readBytes(bytes)).rejects.toMatchObject({ code: 'unsupported' });
    view.setBigUint64(32, 1n << 20n, true);
    await expect(readBytes(bytes)).rejects.toMatchObject({ code: 'truncated' });
  });

  it.each([
    ['where no section can stand', 0xffff_ffff_ffff_fff8n, 16n],
    ['larger than any section can be', 0n, 0xffff_ffff_ffff_fff8n],
    ['larger than is read', 0n, 1n << 40n],
    ['behind its end', 1n << 30n, 16n],
  ])('with a feature %s reads all others', async (_, start, size) => {
    const bytes = fileBytes({ records: [at(1n)], features: new Map([[3, text('box')]]) });
    const view = new DataView(bytes.buffer);
    // The first feature, the formats of the tracepoints, stands first in the table behind the data.
    const table = Number(view.getBigUint64(40, true) + view.getBigUint64(48, true));
    view.setBigUint64(table, start, true);
    view.setBigUint64(table + 8, size, true);
    const { events, fault, info } = await readBytes(bytes);
    expect(events).toHaveLength(1);
    expect(fault).toBeUndefined();
    expect(info.properties).toEqual({ HOSTNAME: 'box' });
    expect(info.problems).toEqual([expect.stringContaining('The feature TRACING_DATA cannot be read: ')]);
  });

  it('with a damaged format reads the others', async () => {
    const bytes = replaceAll(fileBytes({ records: [at(1n)] }), 'ID: 1234', 'IT: 1234');
    const { info, events } = await readBytes(bytes);
    expect(events).toHaveLength(1);
    expect(info.problems).toEqual(['Tracepoint formats without a name or an id are ignored: 1.']);
  });

  it('that perf has not completed delivers its events, without undescribed fields, then says so', async () => {
    const whole = fileBytes(PARTS);
    const dataStart = Number(new DataView(whole.buffer).getBigUint64(40, true));
    const dataSize = Number(new DataView(whole.buffer).getBigUint64(48, true));
    const cut = whole.slice(0, dataStart + dataSize);
    const { events, fault } = await readBytes(cut);
    expect(events.length).toBe((await readBytes(whole)).events.length);
    expect(fault).toMatchObject({ code: 'truncated', offset: cut.length });
    // perf writes the size of the data when it ends.
    new DataView(cut.buffer).setBigUint64(48, 0n, true);
    const unended = await readBytes(cut);
    expect(unended.events.length).toBe(events.length);
    expect(unended.fault?.message).toMatch('`perf record` was not ended properly');
  });
});

/** Replaces ASCII text by other text of the same length. */
function replaceAll(bytes: Uint8Array, from: string, to: string): Uint8Array {
  return Uint8Array.from(Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(from, to), 'latin1'));
}
