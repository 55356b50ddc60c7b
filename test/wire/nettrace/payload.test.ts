import { describe, expect, it } from 'vitest';
import { Block } from '../../../lib/wire/nettrace/block.ts';
import type { NetTraceMetadata } from '../../../lib/wire/nettrace/metadata.ts';
import { decodePayload } from '../../../lib/wire/nettrace/payload.ts';
import {
  type Bytes,
  compressedEventV4,
  eventsOf,
  fastSerialized,
  flat,
  guid,
  headV4,
  metadataBlock,
  metadataBlockV4,
  metadataRow,
  metadataV4,
  sized,
  traceBlock,
  u8,
  u16,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  utf8,
  utf16,
  v6Start,
  v6Trace,
  varint,
  varuint,
} from './nettrace-bytes.ts';

/** The metadata of an event of version 6 with these fields. */
function describedV6(fields: readonly Bytes[], optional: Bytes = []): NetTraceMetadata {
  const described = metadataBlock(metadataRow(2, 16, 'Described', fields, optional));
  const event = uncompressedBlock(uncompressedEvent({ time: 1, metadataId: 2 }));
  return eventsOf(v6Trace(described, event))[0]?.metadata as NetTraceMetadata;
}

/** The same of version 4. */
function describedV4(...fieldsAndTags: Bytes): NetTraceMetadata {
  const described = metadataBlockV4(metadataV4(1, 16, 'Described', fieldsAndTags));
  const bytes = fastSerialized(4, described, ['EventBlock', headV4(1), compressedEventV4({ time: 1 })]);
  return eventsOf(bytes)[0]?.metadata as NetTraceMetadata;
}

function decode(metadata: NetTraceMetadata, ...payload: Bytes) {
  const bytes = flat(payload);
  const { payload: decoded, problem } = decodePayload(
    metadata.fields,
    new Block(2, bytes, 0),
    0,
    bytes.length,
  );
  return { payload: { ...decoded }, problem };
}

const field = (name: string, ...type: Bytes): Bytes => [utf8(name), type];
/** The value of a payload with one field of this type. */
function valueOfType(type: Bytes, ...payload: Bytes) {
  const { payload: decoded, problem } = decode(describedV6([field('x', type)]), payload);
  expect(problem).toBeUndefined();
  return decoded.x;
}

const float64 = (value: number) => [...new Uint8Array(new Float64Array([value]).buffer)];
const float32 = (value: number) => [...new Uint8Array(new Float32Array([value]).buffer)];

describe('a field of type', () => {
  it.each<[string, number, Bytes, unknown]>([
    ['Boolean32', 3, u32(1), true],
    ['Boolean32, neither true nor false', 3, u32(12), 12],
    ['Utf16Unit', 4, u16(0x41), 'A'],
    ['Int8', 5, u8(0xff), -1],
    ['Uint8', 6, u8(0xff), 255],
    ['Int16', 7, u16(0xffff), -1],
    ['Uint16', 8, u16(0xffff), 65535],
    ['Int32', 9, u32(0xffff_ffff), -1],
    ['Uint32', 10, u32(0xffff_ffff), 0xffff_ffff],
    ['Int64', 11, u64(-1n), -1n],
    ['Uint64', 12, u64(-1n), 0xffff_ffff_ffff_ffffn],
    ['Float', 13, float32(1.5), 1.5],
    ['Double', 14, float64(0.1), 0.1],
    ['Decimal', 15, Array(16).fill(1), new Uint8Array(16).fill(1)],
    ['DateTime', 16, u64(133_500_000_000_000_000n), 133_500_000_000_000_000n],
    ['Guid', 17, guid(0x01020304), '01020304-0000-0000-0000-000000000000'],
    ['Utf16Text', 18, utf16('h\u00e9llo'), 'h\u00e9llo'],
    ['Utf16Text, long', 18, utf16('x'.repeat(1000)), 'x'.repeat(1000)],
    ['VarInt', 20, varint(-17982n), -17982n],
    ['VarInt, lowest', 20, [Array(9).fill(0xff), 1], -(1n << 63n)],
    ['VarUint', 21, varuint(0xffff_ffff_ffff_ffffn), 0xffff_ffff_ffff_ffffn],
    ['Utf8Unit', 23, [0x41], 'A'],
    ['Boolean8', 26, u8(0), false],
  ])('%s', (_, code, bytes, value) => {
    expect(valueOfType([code], bytes)).toEqual(value);
  });

  it('Object has fields', () => {
    const inner = [u16(2), sized(u16)(field('a', 9)), sized(u16)(field('b', 18))];
    expect(valueOfType([1, inner], u32(7), utf16('text'))).toEqual({ a: 7, b: 'text' });
  });

  it('Array has its count with it', () => {
    expect(valueOfType([19, 9], u16(3), u32(10), u32(20), u32(30))).toEqual([10, 20, 30]);
    expect(valueOfType([19, 18], u16(2), utf16('Hi'), utf16('Bye'))).toEqual(['Hi', 'Bye']);
    expect(valueOfType([19, 9], u16(0))).toEqual([]);
  });

  it('Array of units is text, of bytes binary', () => {
    expect(valueOfType([19, 4], u16(3), u16(0x78), u16(0x79), u16(0x7a))).toBe('xyz');
    expect(valueOfType([19, 23], u16(3), [0x41, 0x42, 0x43])).toBe('ABC');
    expect(valueOfType([19, 6], u16(2), [1, 2])).toEqual(flat(1, 2));
  });

  it('Array of objects and of arrays', () => {
    const inner = [u16(1), sized(u16)(field('a', 6))];
    expect(valueOfType([19, 1, inner], u16(2), [1, 2])).toEqual([{ a: 1 }, { a: 2 }]);
    expect(valueOfType([19, 19, 9], u16(2), u16(1), u32(5), u16(2), u32(6), u32(7))).toEqual([
      { 0: 5 },
      { 0: 6, 1: 7 },
    ]);
    expect(valueOfType([19, 19, 4], u16(1), u16(1), u16(0x41))).toEqual(['A']);
  });

  it('FixedArray has its count in the metadata', () => {
    expect(valueOfType([22, 7, u16(2)], u16(1), u16(2))).toEqual([1, 2]);
    expect(valueOfType([22, 23, u16(2)], [0x41, 0x42])).toBe('AB');
  });

  it('RelLoc and DataLoc stands elsewhere in the payload', () => {
    const size = 4;
    const dataLoc = u32((size << 16) | 6);
    const relLoc = u32((size << 16) | 2);
    const elsewhere = [u16(0), u16(1), u16(2)];
    expect(valueOfType([25, 7], dataLoc, elsewhere)).toEqual([1, 2]);
    expect(valueOfType([24, 7], relLoc, elsewhere)).toEqual([1, 2]);
    expect(valueOfType([25, 23], u32((1 << 16) | 4), [0x41])).toBe('A');
  });
});

describe('a payload', () => {
  const twoFields = describedV6([field('a', 9), field('b', 9)]);

  it('may be shorter than its description, and longer', () => {
    expect(decode(twoFields, u32(1))).toEqual({ payload: { a: 1 }, problem: undefined });
    expect(decode(twoFields)).toEqual({ payload: {}, problem: undefined });
    expect(decode(twoFields, u32(1), u32(2), u32(3))).toEqual({
      payload: { a: 1, b: 2 },
      problem: undefined,
    });
  });

  it('that ends inside a field lacks it, and says so', () => {
    const { payload, problem } = decode(twoFields, u32(1), [2, 3]);
    expect(payload).toEqual({ a: 1 });
    expect(problem).toBe('Field "b" cannot be read: 4 bytes are wanted where 2 are left. (at byte 4)');
  });

  it('keeps the other fields where one points outside', () => {
    const metadata = describedV6([field('a', 25, 7), field('b', 9)]);
    const { payload, problem } = decode(metadata, u32((4 << 16) | 200), u32(5));
    expect(payload).toEqual({ a: null, b: 5 });
    expect(problem).toMatch(/4 bytes cannot stand 200 bytes from the payload's start/);
  });

  it('cannot keep the decoder busy with arrays of nothing', () => {
    const nothing = [1, u16(0)];
    const nested = [22, 22, 22, nothing, u16(65535), u16(65535), u16(65535)];
    const { problem } = decode(describedV6([field('x', nested)]), [0]);
    expect(problem).toMatch(/more than 131072 values/);
  });

  it('is decoded whatever it is', () => {
    const types = [3, 4, 9, 11, 14, 17, 18, 20, 21, [19, 18], [19, 9], [24, 7], [25, 23], [22, 9, u16(3)]];
    const metadata = describedV6(types.map((type, i) => field(`f${i}`, type)));
    let seed = 1;
    for (let round = 0; round < 2000; round++) {
      const bytes = Array.from({ length: round % 90 }, () => {
        seed = (seed * 1103515245 + 12345) & 0x7fffffff;
        return (seed >> 16) & (round % 2 === 0 ? 0xff : 0x03);
      });
      expect(() => decode(metadata, bytes)).not.toThrow();
    }
  });
});

describe('metadata of version 6', () => {
  it('tells what is optional', () => {
    const metadata = describedV6(
      [],
      [
        [1, 10],
        [3, u64(0x30)],
        [4, utf8('{a}')],
        [5, utf8('what it is')],
        [6, utf8('k'), utf8('v')],
        [7, guid(9)],
        [8, 4],
        [9, 2],
      ],
    );
    expect(metadata).toMatchObject({
      provider: 'Provider',
      providerGuid: '00000009-0000-0000-0000-000000000000',
      eventId: 16,
      name: 'Described',
      opcode: 10,
      keywords: 0x30n,
      messageTemplate: '{a}',
      description: 'what it is',
      level: 4,
      version: 2,
    });
    expect([...metadata.properties]).toEqual([['k', 'v']]);
  });

  it('may be longer than is known here, everywhere', () => {
    const rows = sized(u16)(
      varuint(2),
      utf8('Provider'),
      varuint(16),
      utf8('Described'),
      u16(1),
      sized(u16)(field('a', 9), [1, 2, 3]),
      sized(u16)(8, 4),
      [4, 5, 6],
    );
    const bytes = flat(
      v6Start,
      traceBlock(),
      [...flat(u32((3 << 24) | (2 + 3 + flat(rows).length)), u16(3), [7, 7, 7], rows)],
      u32(0),
    );
    expect(eventsOf(bytes)).toEqual([]);
  });

  it.each<[string, Bytes, RegExp]>([
    ['a type that is not known', [99], /no type 99 of fields/],
    ['an array elsewhere of what has no size', [25, 18], /Type 18 has no size/],
    ['types too deep in each other', [Array(50).fill(19), 9], /More than 32 types/],
  ])('with %s has no fields, and says why', (_, type, problem) => {
    const metadata = describedV6([field('x', type)]);
    expect(metadata.fields).toEqual([]);
    expect(metadata.fieldsProblem).toMatch(problem);
    expect(metadata.name).toBe('Described');
  });
});

describe('metadata of version 4', () => {
  it('has keywords, version, level, and fields with the type before the name', () => {
    const metadata = describedV4(
      u32(2),
      u32(9),
      utf16('a'),
      u32(1),
      [u32(1), u32(18), utf16('c')],
      utf16('b'),
    );
    expect(metadata).toMatchObject({ keywords: 0x30n, version: 2, level: 4, opcode: undefined });
    expect(decode(metadata, u32(1), utf16('text'))).toEqual({
      payload: { a: 1, b: { c: 'text' } },
      problem: undefined,
    });
  });

  it('may end before its fields', () => {
    expect(describedV4().fields).toEqual([]);
  });

  it('has tags: an opcode, fields of more types, and ones that are passed over', () => {
    const tag = (kind: number, ...bytes: Bytes): Bytes => {
      const body = flat(bytes);
      return [u32(body.length), kind, [...body]];
    };
    const sizedField = (...bytes: Bytes): Bytes => {
      const body = flat(bytes);
      return [u32(body.length + 4), [...body]];
    };
    const metadata = describedV4(
      u32(0),
      tag(1, 10, 99),
      tag(7, [1, 2, 3]),
      tag(
        2,
        u32(2),
        sizedField(utf16('a'), u32(19), u32(9), [1, 2, 3, 4]),
        sizedField(utf16('b'), u32(1), u32(1), sizedField(utf16('c'), u32(18))),
        [5, 6],
      ),
    );
    expect(metadata.opcode).toBe(10);
    expect(metadata.fieldsProblem).toBeUndefined();
    expect(decode(metadata, u16(2), u32(1), u32(2), utf16('x')).payload).toEqual({
      a: [1, 2],
      b: { c: 'x' },
    });
  });

  it.each<[string, Bytes, RegExp]>([
    ['a type of version 6', [u32(1), u32(20), utf16('x')], /no type 20/],
    ['an array without the tag for it', [u32(1), u32(19), u32(9), utf16('x')], /no type 19/],
    ['more fields than there are', [u32(0x7fff_ffff), u32(9), utf16('x')], /bytes are wanted/],
    ['fewer than no fields', [u32(-1)], /-1 fields/],
    ['a tag that is longer than it is', [u32(0), u32(100), 1], /100 bytes are wanted/],
    ['structs too deep in each other', [Array(50).fill([u32(1), u32(1)])], /More than 32 types/],
  ])('with %s has no fields, and says why', (_, fields, problem) => {
    const metadata = describedV4(fields);
    expect(metadata.fields).toEqual([]);
    expect(metadata.fieldsProblem).toMatch(problem);
  });
});
