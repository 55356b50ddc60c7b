/** Complete events as passed to the addon: ids, metadata and payload, byte for byte. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../../lib/activity/guid.ts';
import type { FieldDefinitions } from '../../../lib/source/fields.ts';
import { amidEncoding } from '../../../lib/wire/event-encoder.ts';
import { EventHeaderEncoder } from '../../../lib/wire/eventheader/encode.ts';
import type { FieldType } from '../../../lib/wire/schema.ts';
import {
  TraceLoggingEncoder,
  traceLoggingDescriptor,
  traceLoggingProblem,
} from '../../../lib/wire/tracelogging/encode.ts';
import { takeFaults } from '../../../lib/wire/values/faults.ts';
import { write } from '../etw/written-event.ts';
import { encode as encodeEventHeader, schemaOf } from '../eventheader/encoded-event.ts';
import { hex } from '../eventheader/event-bytes.ts';

const ACTIVITY = Guid.parse('00010203-0405-0607-0809-0a0b0c0d0e0f');
const RELATED = Guid.parse('10111213-1415-1617-1819-1a1b1c1d1e1f');
const ACTIVITY_BYTES = hex('03020100 0504 0706 08090a0b0c0d0e0f');
const RELATED_BYTES = hex('13121110 1514 1716 18191a1b1c1d1e1f');
const NO_ID = new Uint8Array(16);

const encoderOf = (fields: FieldDefinitions) => new TraceLoggingEncoder(schemaOf(fields));

describe('an event', () => {
  it('without fields is just its name', () => {
    const encoder = new TraceLoggingEncoder(schemaOf({}, { name: 'Empty' }));
    expect(write(encoder, {})).toEqual({
      idFlags: 0,
      activityId: NO_ID,
      relatedActivityId: NO_ID,
      metadata: hex('0900 00 456d70747900'),
      payload: hex(''),
    });
    expect(encoder.fixedSize).toBe(36 + 9);
  });

  it("has its ids in struct order, and none of the previous event's", () => {
    const encoder = encoderOf({ n: 'uint8' });
    const ids = (activityId?: Guid, relatedId?: Guid) => {
      const event = write(encoder, { n: 5 }, activityId, relatedId);
      expect(event.payload).toEqual(hex('05'));
      return [event.idFlags, event.activityId, event.relatedActivityId];
    };
    expect(ids(ACTIVITY, RELATED)).toEqual([3, ACTIVITY_BYTES, RELATED_BYTES]);
    expect(ids(ACTIVITY)).toEqual([1, ACTIVITY_BYTES, NO_ID]);
    expect(ids()).toEqual([0, NO_ID, NO_ID]);
    expect(ids(RELATED, ACTIVITY)).toEqual([3, RELATED_BYTES, ACTIVITY_BYTES]);
  });

  it('carries its tag', () => {
    const encoder = new TraceLoggingEncoder(schemaOf({}, { tag: 0x1234 }));
    expect(write(encoder, {}).metadata).toEqual(hex('0800 8080a434 4500'));
  });

  it('has id, version, level, opcode, task and keywords in its descriptor', () => {
    const numbers = { id: 7, version: 2, level: 4, opcode: 1, task: 9, keywords: 0x1fn };
    expect(traceLoggingDescriptor(schemaOf({}, numbers))).toEqual(
      hex('0700 02 0b 04 01 0900 1f00000000000000'),
    );
  });

  it('shares the scratch buffer with events of other formats', () => {
    const encoder = encoderOf({ n: 'uint8' });
    const other = new EventHeaderEncoder(schemaOf({ text: 'string' }));
    const event = write(encoder, { n: 1 }, ACTIVITY);
    const otherEvent = encodeEventHeader(other, { text: 'in between' });
    expect(write(encoder, { n: 1 }, ACTIVITY)).toEqual(event);
    expect(encodeEventHeader(other, { text: 'in between' })).toEqual(otherEvent);
    const payload = {
      get n() {
        amidEncoding(() => encodeEventHeader(other, { text: 'in the middle' }));
        return 1;
      },
    };
    expect(write(encoder, payload, ACTIVITY)).toEqual(event);
  });
});

describe('a field', () => {
  it.each<[FieldType, string, unknown, string]>([
    ['bool', '84 03', true, '01'],
    ['int8', '03', -1, 'ff'],
    ['int16', '05', -2, 'feff'],
    ['int32', '07', -3, 'fdffffff'],
    ['int64', '09', -4n, 'fcffffffffffffff'],
    ['uint8', '04', 1, '01'],
    ['uint16', '06', 0x102, '0201'],
    ['uint32', '08', 0x1020304, '04030201'],
    ['uint64', '0a', 1n, '0100000000000000'],
    ['hex8', '84 04', 0xab, 'ab'],
    ['hex16', '86 04', 0xabcd, 'cdab'],
    ['hex32', '14', 0xabcdef01, '01efcdab'],
    ['hex64', '15', 0xabn, 'ab00000000000000'],
    ['float', '0b', -1.5, '0000c0bf'],
    ['double', '0c', 1.5, '000000000000f83f'],
    ['string', '97 23', 'hé', '0300 68c3a9'],
    // ETW counts bytes, where EventHeader counts code units.
    ['utf16', '16', 'hé€😀', '0a00 6800e900ac203dd800de'],
    ['json', '97 0c', [1], '0300 5b315d'],
    ['binary', '19', hex('dead'), '0200 dead'],
    ['guid', '0f', '00112233-4455-6677-8899-aabbccddeeff', '33221100554477668899aabbccddeeff'],
    ['time', '11', new Date('2024-01-02T03:04:05Z'), '80c04858283dda01'],
    ['ipAddress', '99 09', '::1', '1000 00000000000000000000000000000001'],
    ['ipAddress', '99 09', '127.0.0.1', '1000 00000000000000000000ffff7f000001'],
    ['port', '86 07', 443, '01bb'],
    ['errno', '07', 2, '02000000'],
    ['pid', '88 05', 123, '7b000000'],
  ])('of type %s has the type %s, and for %s the bytes %s', (type, types, value, bytes) => {
    const event = write(encoderOf({ f: type }), { f: value });
    expect(event.metadata.slice(2)).toEqual(hex(`00 4500 6600 ${types}`));
    expect(event.payload).toEqual(hex(bytes));
    expect(takeFaults()).toBeUndefined();
  });

  it.each([
    ['bool?', '99 03', true, '0100 01'],
    ['int8?', '99 11', -1, '0100 ff'],
    ['errno?', '99 11', 2, '0400 02000000'],
    ['uint64?', '99 12', 1n, '0800 0100000000000000'],
    ['hex16?', '99 04', 0xab, '0200 ab00'],
    ['hex32?', '99 04', 0xab, '0400 ab000000'],
    ['double?', '19', 1.5, '0800 000000000000f83f'],
    ['guid?', '19', '00112233-4455-6677-8899-aabbccddeeff', '1000 33221100554477668899aabbccddeeff'],
    ['time?', '99 10', new Date('2024-01-02T03:04:05Z'), '0800 80c04858283dda01'],
    ['ipAddress?', '99 09', '::1', '1000 00000000000000000000000000000001'],
    ['port?', '99 07', 443, '0200 01bb'],
    ['pid?', '99 05', 123, '0400 7b000000'],
  ] as const)('of type %s is counted bytes of the type %s; null has none', (type, types, value, bytes) => {
    const encoder = encoderOf({ f: type });
    const event = write(encoder, { f: value });
    expect(event.metadata.slice(2)).toEqual(hex(`00 4500 6600 ${types}`));
    expect(event.payload).toEqual(hex(bytes));
    expect(write(encoder, { f: null }).payload).toEqual(hex('0000'));
    expect(write(encoder, {}).payload).toEqual(hex('0000'));
    expect(takeFaults()).toBeUndefined();
  });

  it('that is an array has its count before its elements', () => {
    const event = write(encoderOf({ a: 'uint16[]', s: 'string[]', n: 'uint8?[]' }), {
      a: [1, 2],
      s: ['x', ''],
      n: [7, null],
    });
    expect(event.metadata.slice(2)).toEqual(hex('00 4500 6100 46 7300 d7 23 6e00 d9 12'));
    expect(event.payload).toEqual(hex('0200 0100 0200 0200 0100 78 0000 0200 0100 07 0000'));
  });

  it('that is a struct contains its fields in sequence, and an array of structs all of each', () => {
    const fields = { s: { a: 'uint8', deep: { b: 'uint8' } }, r: [{ c: 'uint16' }], end: 'uint8' } as const;
    const event = write(encoderOf(fields), { s: { a: 1, deep: { b: 2 } }, r: [{ c: 3 }, { c: 4 }], end: 5 });
    expect(event.metadata.slice(2)).toEqual(
      hex('00 4500 7300 98 02 6100 04 6465657000 98 01 6200 04 7200 d8 01 6300 06 656e6400 04'),
    );
    expect(event.payload).toEqual(hex('01 02 0200 0300 0400 05'));
  });

  it('that a value does not fit is counted', () => {
    const encoder = encoderOf({ ip: 'ipAddress', t: 'utf16', ok: 'uint8' });
    expect(write(encoder, { ip: 'localhost', t: 5, ok: 1 }).payload).toEqual(hex('0000 0200 3500 01'));
    expect(takeFaults()).toEqual({ badValues: 2, tooLarge: false });
  });
});

describe('an event that is too large for the buffer', () => {
  it('is recognised from one byte past 65536 on, including everything passed to the addon', () => {
    const encoder = encoderOf({ f: 'utf16' });
    const room = 65536 - encoder.fixedSize - 2;
    const longest = Math.floor(room / 2);
    write(encoder, { f: 'x'.repeat(longest) });
    expect(takeFaults()).toBeUndefined();
    write(encoder, { f: 'x'.repeat(longest + 1) });
    expect(takeFaults()).toEqual({ badValues: 0, tooLarge: true });
  });
});

describe("TraceLogging's limits", () => {
  const fieldsOf = (count: number, type: 'uint8' | 'uint8[]') =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, type]));

  it('do not affect ordinary events', () => {
    expect(traceLoggingProblem(schemaOf({ a: 'uint8', b: 'string[]' }))).toBeUndefined();
    expect(traceLoggingProblem(schemaOf(fieldsOf(128, 'uint8')))).toBeUndefined();
    expect(traceLoggingProblem(schemaOf(fieldsOf(64, 'uint8[]')))).toBeUndefined();
  });

  it('are 128 fields, of which arrays count twice, and structs and their fields once', () => {
    expect(traceLoggingProblem(schemaOf(fieldsOf(129, 'uint8')))).toContain('this event has 129');
    expect(traceLoggingProblem(schemaOf(fieldsOf(65, 'uint8[]')))).toContain('this event has 130');
    const struct = { s: fieldsOf(63, 'uint8[]'), t: 'uint8' } as const;
    expect(traceLoggingProblem(schemaOf(struct))).toBeUndefined();
    expect(traceLoggingProblem(schemaOf({ ...struct, u: 'uint8' }))).toContain('this event has 129');
  });

  it('are names and types of 32767 bytes', () => {
    const named = (length: number) => schemaOf({ ['x'.repeat(length)]: 'uint8' });
    // Size, tag, the event's name, and the field's NUL and type.
    expect(traceLoggingProblem(named(32767 - 7))).toBeUndefined();
    expect(traceLoggingProblem(named(32767 - 6))).toContain('take 32768 bytes');
  });
});
