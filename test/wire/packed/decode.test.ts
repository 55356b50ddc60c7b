/** Decoding payloads by descriptions of their fields. */
import { describe, expect, it } from 'vitest';
import { decodePacked } from '../../../lib/wire/packed/decode.ts';
import type { PackedField, PackedType } from '../../../lib/wire/packed/field.ts';
import { cpuTimeOf } from '../../base/cpu-time.ts';

/** Bytes given in hex, with spaces anywhere. */
function hex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
}

function utf16(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'utf16le'));
}

function decode(fields: readonly PackedField[], bytes: Uint8Array, pointerSize: 4 | 8 = 8) {
  const { payload, problem } = decodePacked(fields, bytes, pointerSize);
  return { payload: { ...payload }, problem };
}

function decodeOne(type: PackedType, bytes: Uint8Array, more: Partial<PackedField> = {}) {
  return decode([{ name: 'it', type, ...more }], bytes).payload.it;
}

describe('a value', () => {
  it.each<[PackedType, string, unknown]>([
    ['bool8', '01', true],
    ['bool8', '00', false],
    ['bool32', '01000000', true],
    ['bool32', '02000000', 2],
    ['char16', '4100', 'A'],
    ['int8', 'ff', -1],
    ['uint8', 'ff', 255],
    ['hex8', 'ff', 255],
    ['int16', 'feff', -2],
    ['uint16', 'feff', 65534],
    ['hex16', '3412', 0x1234],
    ['int32', 'ffffffff', -1],
    ['uint32', 'ffffffff', 4294967295],
    ['hex32', '78563412', 0x12345678],
    ['int64', 'ffffffffffffffff', -1n],
    ['uint64', 'ffffffffffffffff', 0xffff_ffff_ffff_ffffn],
    ['hex64', '0100000000000000', 1n],
    ['float', '0000c03f', 1.5],
    ['double', '000000000000f83f', 1.5],
    ['pointer', '0807060504030201', 0x0102030405060708n],
    ['guid', '33221100 5544 7766 8899aabbccddeeff', '00112233-4455-6677-8899-aabbccddeeff'],
    ['port', '01bb', 443],
    ['ipv4', '7f000001', '127.0.0.1'],
    ['ipv6', '00000000000000000000000000000001', '::1'],
    ['filetime', '00c083ed8a49da01', 133_500_000_000_000_000n],
    ['systemtime', 'e807 0100 0300 1f00 0c00 0000 3b00 0700', '2024-01-31T12:00:59.007'],
    ['utf16', '410042000000', 'AB'],
    ['ansi', '41e900', 'A\u00e9'],
    ['utf8', '41c3a900', 'A\u00e9'],
    ['utf16Counted', '0400 41004200', 'AB'],
    ['ansiCounted', '0200 4142', 'AB'],
    ['binaryCounted', '0200 0102', Uint8Array.of(1, 2)],
    ['sid', '01 02 000000000005 20000000 20020000', 'S-1-5-32-544'],
    ['wbemSid', '01000000000000000000000000000000 01 01 000000000005 12000000', 'S-1-5-18'],
    ['wbemSid', '00000000', null],
  ])('of the type %s, %s, is %s', (type, bytes, value) => {
    expect(decodeOne(type, hex(bytes))).toEqual(value);
  });

  it('that is a pointer has the size of the writer’s pointers', () => {
    const fields: PackedField[] = [
      { name: 'p', type: 'pointer' },
      { name: 'n', type: 'uint8' },
    ];
    expect(decode(fields, hex('04030201 05'), 4).payload).toEqual({ p: 0x01020304, n: 5 });
  });

  it('that is binary is a view of the payload', () => {
    const bytes = hex('0102030405');
    const value = decodeOne('binary', bytes, { length: 2 }) as Uint8Array;
    expect(value).toEqual(Uint8Array.of(1, 2));
    expect(value.buffer).toBe(bytes.buffer);
  });

  it('that is binary without a length extends to the end', () => {
    expect(decodeOne('binary', hex('010203'))).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('that is text may have a length in characters, padded with NULs', () => {
    expect(decodeOne('utf16', utf16('AB\0\0'), { length: 4 })).toBe('AB');
    expect(decodeOne('ansi', hex('41424344'), { length: 3 })).toBe('ABC');
  });

  it('that is text may lack its NUL at the end of the payload', () => {
    expect(decodeOne('utf16', utf16('AB'))).toBe('AB');
    expect(decodeOne('ansi', hex('4142'))).toBe('AB');
    expect(decodeOne('utf16', hex('410042'))).toBe('A');
  });

  it('keeps lone surrogates, in short and in long texts', () => {
    expect(decodeOne('utf16', utf16('\ud800A\0'))).toBe('\ud800A');
    expect(decodeOne('utf16', utf16(`${'A'.repeat(50)}\udfff\0`))).toBe(`${'A'.repeat(50)}\udfff`);
  });
});

describe('fields', () => {
  it('may contain the length and the count of later ones, visible or hidden', () => {
    const fields: PackedField[] = [
      { name: 'size', type: 'uint16', hidden: true },
      { name: 'data', type: 'binary', length: 'size' },
      { name: 'count', type: 'uint64' },
      { name: 'list', type: 'uint8', count: 'count' },
    ];
    expect(decode(fields, hex('0200 aabb 0300000000000000 010203'))).toEqual({
      payload: { data: hex('aabb'), count: 3n, list: [1, 2, 3] },
      problem: undefined,
    });
  });

  it('are repeated to the end of the payload for *', () => {
    const fields: PackedField[] = [{ name: 'texts', type: 'utf16', count: '*' }];
    expect(decode(fields, utf16('A\0BC\0D')).payload).toEqual({ texts: ['A', 'BC', 'D'] });
    expect(decode(fields, hex('')).payload).toEqual({ texts: [] });
  });

  it('may be structs, whose members see the enclosing fields', () => {
    const fields: PackedField[] = [
      { name: 'width', type: 'uint8' },
      { name: 'count', type: 'uint8' },
      {
        name: 'rows',
        type: 'struct',
        count: 'count',
        fields: [
          { name: 'length', type: 'uint8', hidden: true },
          { name: 'own', type: 'uint8', count: 'length' },
          { name: 'cells', type: 'uint8', count: 'width' },
        ],
      },
      { name: 'one', type: 'struct', fields: [{ name: 'x', type: 'uint8' }] },
    ];
    expect(decode(fields, hex('02 02  01 0a 0102  00 0304  07'))).toEqual({
      payload: {
        width: 2,
        count: 2,
        rows: [
          { own: [10], cells: [1, 2] },
          { own: [], cells: [3, 4] },
        ],
        one: { x: 7 },
      },
      problem: undefined,
    });
  });

  it('have no prototype, so that they may have any name', () => {
    const { payload } = decodePacked([{ name: '__proto__', type: 'uint8' }], hex('07'), 8);
    expect(Object.entries(payload)).toEqual([['__proto__', 7]]);
  });

  it('that a shorter payload lacks at its end are absent', () => {
    const fields: PackedField[] = [
      { name: 'a', type: 'uint16' },
      { name: 'b', type: 'utf16' },
      { name: 'c', type: 'uint32', count: 3 },
    ];
    expect(decode(fields, hex('0100'))).toEqual({ payload: { a: 1 }, problem: undefined });
    expect(decode(fields, hex(''))).toEqual({ payload: {}, problem: undefined });
  });

  it('do not use bytes after the last one', () => {
    expect(decode([{ name: 'a', type: 'uint8' }], hex('01ffff')).payload).toEqual({ a: 1 });
  });
});

describe('a problem', () => {
  it.each<[string, PackedField[], string, object, string]>([
    [
      'is a payload that ends inside a field',
      [
        { name: 'a', type: 'uint8' },
        { name: 'b', type: 'uint32' },
        { name: 'c', type: 'uint8' },
      ],
      '01 0203',
      { a: 1 },
      'The payload ends inside field "b", which starts at byte 1 of 3.',
    ],
    [
      'is an array that lacks elements',
      [{ name: 'a', type: 'uint16', count: 2 }],
      '0100',
      {},
      'The payload ends inside field "a", which starts at byte 0 of 2.',
    ],
    [
      'is a struct that lacks members',
      [
        {
          name: 's',
          type: 'struct',
          fields: [
            { name: 'a', type: 'uint8' },
            { name: 'b', type: 'uint8' },
          ],
        },
      ],
      '01',
      {},
      'The payload ends inside field "s", which starts at byte 0 of 1.',
    ],
    [
      'are bytes that were promised',
      [
        { name: 'size', type: 'uint8' },
        { name: 'data', type: 'binary', length: 'size' },
      ],
      '05',
      { size: 5 },
      'The payload ends inside field "data", which starts at byte 1 of 1.',
    ],
    [
      'is a negative count',
      [
        { name: 'n', type: 'int8' },
        { name: 'a', type: 'uint8', count: 'n' },
      ],
      'ff 00',
      { n: -1 },
      'Field "a" takes its length from "n", which is -1.',
    ],
    [
      'is a length that no earlier field has',
      [
        { name: 'a', type: 'binary', length: 'n' },
        { name: 'n', type: 'uint8' },
      ],
      '0000',
      {},
      'Field "a" takes its length from "n", which is not an earlier number.',
    ],
    [
      'is a type that nobody knows',
      [
        { name: 'a', type: 'uint8' },
        { name: 'b', type: 'unknown', typeName: 'win:Cube' },
        { name: 'c', type: 'uint8' },
      ],
      '0102',
      { a: 1 },
      'Field "b" has the unknown type "win:Cube".',
    ],
    [
      'is a SID that is cut off',
      [{ name: 'sid', type: 'sid' }],
      '0105000000000005',
      {},
      'The payload ends inside field "sid", which starts at byte 0 of 8.',
    ],
  ])('%s', (_name, fields, bytes, payload, problem) => {
    expect(decode(fields, hex(bytes))).toEqual({ payload, problem });
  });

  it('is a count beyond all bytes, found quickly', () => {
    const nothing: PackedField = { name: 'empty', type: 'struct', fields: [], count: 'n' };
    const rows: PackedField = { name: 'rows', type: 'struct', fields: [nothing], count: 'n' };
    const milliseconds = cpuTimeOf(() => {
      for (const list of [
        [nothing],
        [rows],
        [{ ...nothing, count: '*' }],
        [{ ...rows, count: 0xffffffff }],
        [{ name: 'bytes', type: 'uint8', count: 'n' } as const],
      ]) {
        const fields: PackedField[] = [{ name: 'n', type: 'uint64' }, ...list];
        const { payload, problem } = decode(fields, hex('ffffffffffffff7f 00'));
        expect(Object.keys(payload)).toEqual(['n']);
        expect(problem).toMatch(/more values than fit into its \d+ bytes|The payload ends inside/);
      }
    });
    expect(milliseconds).toBeLessThan(2000);
  });

  it('is never an exception: any bytes with any description yield fields or a sentence', () => {
    const types: PackedType[] = [
      'uint8',
      'utf16',
      'ansi',
      'sid',
      'wbemSid',
      'binaryCounted',
      'pointer',
      'guid',
    ];
    let seed = 12345;
    const random = (limit: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % limit;
    };
    for (let round = 0; round < 2000; round++) {
      const fields = Array.from({ length: 4 }, (_, index): PackedField => {
        const type = types[random(types.length)] ?? 'uint8';
        const counts = [undefined, '*', 'f0', random(5)];
        const count = counts[random(counts.length)];
        return { name: `f${index}`, type, ...(count === undefined ? {} : { count }) };
      });
      const bytes = Uint8Array.from({ length: random(40) }, () => random(256));
      const { payload, problem } = decodePacked(fields, bytes, random(2) === 0 ? 4 : 8);
      expect(Object.keys(payload).length).toBeLessThanOrEqual(4);
      if (problem !== undefined) expect(problem).toMatch(/\.$/);
    }
  });
});
