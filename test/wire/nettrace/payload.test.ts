import { describe, expect, it } from 'vitest';
import { decode, describedV6, field } from './described.ts';
import {
  type Bytes,
  flat,
  guid,
  row,
  sized,
  u8,
  u16,
  u32,
  u64,
  utf8,
  utf16,
  varint,
  varuint,
} from './nettrace-bytes.ts';

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

  it('Array contains its count', () => {
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

  it('RelLoc and DataLoc is elsewhere in the payload', () => {
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

  it('may be shorter or longer than its description', () => {
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
    expect(problem).toBe('Field "b" cannot be read: 4 bytes are needed, but only 2 are left. (at byte 4)');
  });

  it('keeps the other fields if one points outside', () => {
    const metadata = describedV6([field('a', 25, 7), field('b', 9)]);
    const { payload, problem } = decode(metadata, u32((4 << 16) | 200), u32(5));
    expect(payload).toEqual({ a: null, b: 5 });
    expect(problem).toMatch(/4 bytes cannot start 200 bytes from the start of the payload/);
  });

  it('cannot keep the decoder busy with empty arrays', () => {
    const nothing = [1, u16(0)];
    const nested = [22, 22, 22, nothing, u16(65535), u16(65535), u16(65535)];
    const { problem } = decode(describedV6([field('x', nested)]), [0]);
    expect(problem).toMatch(/more values than fit into its 1 bytes/);
  });

  it('cannot repeat a long name in each of its structs', () => {
    const long = 'n'.repeat(30_000);
    const structs = [19, 1, u16(1), row(utf8(long), 5)];
    const { payload, problem } = decode(
      describedV6([field('x', structs)]),
      u16(20_000),
      Array(20_000).fill(1),
    );
    expect(JSON.stringify(payload).length).toBeLessThan(128 * 20_000);
    expect(problem).toMatch(/more values than fit into its 20002 bytes/);
  });

  it('is decoded, whatever it contains', () => {
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
