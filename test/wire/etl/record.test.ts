import { describe, expect, it } from 'vitest';
import { openBuffer } from '../../../lib/wire/etl/buffer.ts';
import { extendedItemsOf, relatedActivityIdOf, stackOf } from '../../../lib/wire/etl/extended-items.ts';
import * as read from '../../../lib/wire/etl/record.ts';
import { RecordCursor } from '../../../lib/wire/etl/record-cursor.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { Bytes } from '../perf-data/file-bytes.ts';
import {
  ACTIVITY,
  bufferBytes,
  classicRecord,
  eventRecord,
  kernelRecord,
  messageRecord,
  otherRecord,
  PROVIDER,
  RELATED,
} from './etl-bytes.ts';

const START = { high: 0, low: 100 };
const PAYLOAD = [1, 2, 3, 4, 5];

function cursorOver(records: readonly Uint8Array[]): RecordCursor {
  return new RecordCursor(openBuffer(bufferBytes(records), 0x1000), START);
}

function first(bytes: Uint8Array): RecordCursor {
  const cursor = cursorOver([bytes]);
  expect(cursor.next()).toBe(true);
  return cursor;
}

const payloadOf = (record: RecordCursor) => [
  ...record.buffer.bytes.subarray(extendedItemsOf(record).payload, record.end),
];

describe('a kernel record', () => {
  it.each([
    [0x01, 4],
    [0x02, 8],
    [0x03, 4],
    [0x04, 8],
  ])('of type %i has group, opcode, version, ids and pointers of %i bytes', (type, pointerSize) => {
    const record = first(
      kernelRecord({ type, group: 3, opcode: 1, version: 4, time: 150n, payload: PAYLOAD }),
    );
    expect(read.groupOf(record)).toBe(3);
    expect(read.opcodeOf(record)).toBe(1);
    expect(read.versionOf(record)).toBe(4);
    expect([read.processIdOf(record), read.threadIdOf(record)]).toEqual([10, 11]);
    expect(read.pointerSizeOf(record)).toBe(pointerSize);
    expect(record.ticks).toBe(50);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });

  it.each([
    [0x10, 4],
    [0x11, 8],
  ])('of type %i has no ids', (type, pointerSize) => {
    const record = first(kernelRecord({ type, group: 15, opcode: 46, time: 150n, payload: PAYLOAD }));
    expect([read.processIdOf(record), read.threadIdOf(record)]).toEqual([undefined, undefined]);
    expect([read.groupOf(record), read.opcodeOf(record), record.ticks]).toEqual([15, 46, 50]);
    expect(read.pointerSizeOf(record)).toBe(pointerSize);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });

  it('may have performance counters after its header, as its version says', () => {
    const record = first(
      kernelRecord({
        type: 0x11,
        group: 15,
        opcode: 46,
        version: 2,
        time: 150n,
        counters: 3,
        payload: PAYLOAD,
      }),
    );
    expect(read.versionOf(record)).toBe(2);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });
});

describe('a classic record', () => {
  it.each([
    [0x0a, 4],
    [0x14, 8],
    [0x0b, 4],
    [0x15, 8],
  ])('of type %i has a class GUID', (type, pointerSize) => {
    const record = first(classicRecord({ type, time: 150n, payload: PAYLOAD }));
    expect(read.guidAt(record, read.providerGuidOffset(record))).toBe(PROVIDER);
    expect([read.opcodeOf(record), read.levelOf(record), read.versionOf(record)]).toEqual([7, 4, 3]);
    expect([read.processIdOf(record), read.threadIdOf(record)]).toEqual([10, 11]);
    expect([read.pointerSizeOf(record), record.ticks]).toEqual([pointerSize, 50]);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });
});

describe('an event', () => {
  it.each([
    [0x12, 4],
    [0x13, 8],
  ])('of type %i has its complete descriptor', (type, pointerSize) => {
    const record = first(
      eventRecord({ type, time: 99n, id: 0x1234, version: 2, opcode: 9, payload: PAYLOAD }),
    );
    expect(read.guidAt(record, read.providerGuidOffset(record))).toBe(PROVIDER);
    expect([read.idNumberOf(record), read.versionOf(record), read.channelOf(record)]).toEqual([
      0x1234, 2, 16,
    ]);
    expect([read.levelOf(record), read.opcodeOf(record), read.taskOf(record)]).toEqual([4, 9, 3]);
    expect(read.keywordsOf(record)).toBe(0x8000_0000_0000_0001n);
    expect(read.activityIdOf(record)).toBeUndefined();
    expect([read.pointerSizeOf(record), record.ticks, read.rawTimeOf(record)]).toEqual([
      pointerSize,
      -1,
      99n,
    ]);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });

  it('may have an activity, a related one, and a stack', () => {
    const frames = new Bytes(true).u64(0).u64(0x7000_0000_1000n).u64(0x2000n).done();
    const record = first(
      eventRecord({
        time: 150n,
        activityId: ACTIVITY,
        items: [
          { type: 1, data: guidBytes(RELATED) },
          { type: 6, data: frames },
          { type: 99, data: [1] },
        ],
        payload: PAYLOAD,
      }),
    );
    const { items, isDamaged } = extendedItemsOf(record);
    expect(isDamaged).toBe(false);
    expect(items.map(({ type }) => type)).toEqual([1, 6, 99]);
    expect(read.activityIdOf(record)).toBe(ACTIVITY);
    expect(relatedActivityIdOf(record, items)).toBe(RELATED);
    expect(stackOf(record, items)).toEqual([0x7000_0000_1000n, 0x2000n]);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });

  it('of a 32-bit process has a stack of short addresses', () => {
    const data = new Bytes(true).u64(0).u32(0xfffff000).u32(2).done();
    const record = first(eventRecord({ time: 150n, items: [{ type: 5, data }] }));
    expect(stackOf(record, extendedItemsOf(record).items)).toEqual([0xfffff000n, 2n]);
  });

  it.each([
    ['does not have room for itself', 4],
    ['is larger than the event', 200],
  ])('with an extended item that %s has no payload', (_what, size) => {
    const bytes = eventRecord({
      time: 150n,
      items: [{ type: 1, data: guidBytes(RELATED) }],
      payload: PAYLOAD,
    });
    bytes[0x50] = size;
    const record = first(bytes);
    expect(extendedItemsOf(record)).toEqual({ items: [], payload: record.end, isDamaged: true });
  });
});

describe('a message', () => {
  const guid = [...guidBytes(PROVIDER)];
  const time = [...new Bytes(true).u64(170).done()];
  const ids = [...new Bytes(true).u32(11).u32(10).done()];

  it('contains what its options say', () => {
    const record = first(messageRecord(17, 0x6b, [9, 9, 9, 9, ...guid, ...time, ...ids, ...PAYLOAD]));
    expect(read.idNumberOf(record)).toBe(17);
    expect(read.guidAt(record, read.providerGuidOffset(record))).toBe(PROVIDER);
    expect([read.processIdOf(record), read.threadIdOf(record)]).toEqual([10, 11]);
    expect([read.pointerSizeOf(record), record.ticks]).toEqual([4, 70]);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });

  it('of a component has no GUID', () => {
    const record = first(messageRecord(17, 0x86, [1, 0, 0, 0, ...PAYLOAD]));
    expect(read.providerGuidOffset(record)).toBe(0);
    expect([read.processIdOf(record), read.rawTimeOf(record)]).toEqual([undefined, undefined]);
    expect(payloadOf(record)).toEqual(PAYLOAD);
  });

  it('without a time has that of the previous record', () => {
    const cursor = cursorOver([kernelRecord({ group: 1, opcode: 2, time: 160n }), messageRecord(1, 0, [])]);
    expect([cursor.next(), cursor.next(), cursor.ticks]).toEqual([true, true, 60]);
  });

  it('that is too short for its options lacks what is missing', () => {
    const record = first(messageRecord(17, 0x2a, [1, 2, 3]));
    expect(read.providerGuidOffset(record)).toBe(0);
    expect(payloadOf(record)).toEqual([1, 2, 3]);
  });
});

describe('the records of a buffer', () => {
  const kernel = (time: bigint) => kernelRecord({ group: 1, opcode: 2, time, payload: [1] });

  it('start at multiples of 8', () => {
    const cursor = cursorOver([kernel(1n), kernel(2n), kernel(3n)]);
    const offsets: number[] = [];
    while (cursor.next()) offsets.push(cursor.offset);
    expect(offsets).toEqual([0x48, 0x70, 0x98]);
    expect(cursor.problem).toBeUndefined();
  });

  it('are skipped if their contents are unknown', () => {
    const cursor = cursorOver([otherRecord(0x0c), otherRecord(0x0d), otherRecord(0x0e), kernel(7n)]);
    expect([cursor.next(), cursor.ticks, cursor.next()]).toEqual([true, -93, false]);
  });

  it('end at padding', () => {
    const padding = new Uint8Array(16).fill(0xff);
    const cursor = cursorOver([kernel(1n), padding, kernel(2n)]);
    expect([cursor.next(), cursor.next(), cursor.problem]).toEqual([true, false, undefined]);
  });

  it.each([
    [
      'an unknown mark',
      Uint8Array.from([16, 0, 2, 0x80, 0, 0, 0, 0]),
      'A record cannot start with 0x80020010.',
    ],
    [
      'an unknown type',
      Uint8Array.from([16, 0, 0x40, 0xc0, 0, 0, 0, 0]),
      'A record cannot start with 0xc0400010.',
    ],
    [
      'a size too small for its header',
      Uint8Array.from([16, 0, 0x13, 0xc0, 0, 0, 0, 0]),
      'A record of type 0x13 cannot have 16 bytes: its header has 80, and 8 bytes of the buffer are left.',
    ],
    [
      'a size too large for the buffer',
      Uint8Array.from([0xff, 0, 0x14, 0xc0, 0, 0, 0, 0]),
      'A record of type 0x14 cannot have 255 bytes: its header has 48, and 8 bytes of the buffer are left.',
    ],
  ])('end with an error at %s', (_what, bytes, sentence) => {
    const cursor = cursorOver([kernel(1n), bytes]);
    expect([cursor.next(), cursor.next()]).toEqual([true, false]);
    expect(cursor.problem).toMatchObject({ code: 'malformed', offset: 0x1070, sentence });
  });
});
