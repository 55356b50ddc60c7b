/** Each field type: how the decoder reads its values back, and what happens to values that do not fit. */
import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../lib/source/fields.ts';
import type { FieldType } from '../../../lib/wire/schema.ts';
import { encodeAndDecode } from './encoded-event.ts';

/** The value as it is read back; none may be counted as bad. */
function readBack(type: FieldDefinition, value: unknown): unknown {
  const { decoded, faults } = encodeAndDecode({ f: type, end: 'uint32' }, { f: value, end: 0x01020304 });
  expect(faults).toBeUndefined();
  // What follows is in its place.
  expect(decoded.end).toBe(0x01020304);
  return decoded.f;
}

/** What is written for a value that the field cannot hold: it is counted and named. */
function nearest(type: FieldDefinition, value: unknown): unknown {
  const { decoded, faults, badValues } = encodeAndDecode(
    { f: type, end: 'uint32' },
    { f: value, end: 0x01020304 },
  );
  expect(faults).toEqual({ badValues: 1, tooLarge: false });
  expect(badValues).toEqual([{ field: 'f', type: expect.any(String), value }]);
  expect(decoded.end).toBe(0x01020304);
  return decoded.f;
}

const MAX_64 = 2n ** 64n - 1n;
const MAX_INT_64 = 2n ** 63n - 1n;
const MIN_INT_64 = -(2n ** 63n);

describe('integers', () => {
  it.each<[FieldType, number, number]>([
    ['int8', -128, 127],
    ['int16', -32768, 32767],
    ['int32', -2147483648, 2147483647],
    ['uint8', 0, 255],
    ['uint16', 0, 65535],
    ['uint32', 0, 4294967295],
    ['hex8', 0, 255],
    ['hex16', 0, 65535],
    ['hex32', 0, 4294967295],
    ['port', 0, 65535],
    ['errno', -2147483648, 2147483647],
  ])('of type %s range from %d to %d; values beyond become the limit, and are counted', (type, low, high) => {
    for (const value of [low, low + 1, 0, 1, 42, high - 1, high]) expect(readBack(type, value)).toBe(value);
    expect(readBack(type, -0)).toBe(0);
    expect(nearest(type, low - 1)).toBe(low);
    expect(nearest(type, high + 1)).toBe(high);
    expect(nearest(type, Number.NEGATIVE_INFINITY)).toBe(low);
    expect(nearest(type, Number.POSITIVE_INFINITY)).toBe(high);
    expect(nearest(type, 1e300)).toBe(high);
    expect(nearest(type, 10n ** 30n)).toBe(high);
    expect(nearest(type, 1.9)).toBe(1);
    expect(nearest(type, 7n)).toBe(7);
    for (const value of [Number.NaN, undefined, null, '7', true, {}, [], Symbol('s'), () => 1]) {
      expect(nearest(type, value)).toBe(0);
    }
  });

  it('of type pid range from 0 to 4294967295, which decoders show with a sign', () => {
    for (const value of [0, 1, 4194304, 2147483647]) expect(readBack('pid', value)).toBe(value);
    expect(readBack('pid', 4294967295)).toBe(-1);
    expect(nearest('pid', -1)).toBe(0);
  });

  it('of 64 bits are bigints, or numbers that are safe integers', () => {
    const safe = [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53) + 1];
    for (const value of safe) expect(readBack('int64', value)).toBe(BigInt(value));
    for (const value of safe.map(Math.abs)) {
      expect(readBack('uint64', value)).toBe(BigInt(value));
      expect(readBack('hex64', value)).toBe(BigInt(value));
    }
    for (const value of [MIN_INT_64, -1n, 0n, MAX_INT_64]) expect(readBack('int64', value)).toBe(value);
    for (const value of [0n, 1n << 63n, MAX_64]) {
      expect(readBack('uint64', value)).toBe(value);
      expect(readBack('hex64', value)).toBe(value);
    }
  });

  it('of 64 bits that are not safe integers, or out of range, are counted', () => {
    expect(nearest('int64', 2 ** 53)).toBe(2n ** 53n);
    expect(nearest('int64', 1e300)).toBe(MAX_INT_64);
    expect(nearest('int64', MAX_INT_64 + 1n)).toBe(MAX_INT_64);
    expect(nearest('int64', MIN_INT_64 - 1n)).toBe(MIN_INT_64);
    expect(nearest('int64', Number.NEGATIVE_INFINITY)).toBe(MIN_INT_64);
    expect(nearest('int64', -1.5)).toBe(-1n);
    expect(nearest('uint64', -1)).toBe(0n);
    expect(nearest('uint64', -1n)).toBe(0n);
    expect(nearest('uint64', MAX_64 + 1n)).toBe(MAX_64);
    expect(nearest('uint64', Number.POSITIVE_INFINITY)).toBe(MAX_64);
    for (const value of [Number.NaN, '5', undefined, null, true, Symbol('s')]) {
      expect(nearest('int64', value)).toBe(0n);
      expect(nearest('uint64', value)).toBe(0n);
    }
  });
});

describe('booleans', () => {
  it('are true and false', () => {
    expect(readBack('bool', true)).toBe(true);
    expect(readBack('bool', false)).toBe(false);
  });

  it('are converted as in a condition from other values, which are counted', () => {
    for (const value of [1, 'no', {}, 5n]) expect(nearest('bool', value)).toBe(true);
    for (const value of [0, '', null, undefined, Number.NaN]) expect(nearest('bool', value)).toBe(false);
  });
});

describe('floating-point numbers', () => {
  it.each([0, -0, 1.5, Number.MIN_VALUE, Number.MAX_VALUE, Number.NaN, -1 / 0, 1 / 0])(
    'of type double hold %d',
    (value) => {
      expect(readBack('double', value)).toBe(value);
    },
  );

  it('of type float are rounded to 32 bits', () => {
    expect(readBack('float', 0.1)).toBe(Math.fround(0.1));
    expect(readBack('float', 3.4e38)).toBe(Math.fround(3.4e38));
    expect(readBack('float', Number.NaN)).toBeNaN();
  });

  it('are not strings or bigints, the latter of which have a nearest number', () => {
    expect(nearest('double', '1.5')).toBeNaN();
    expect(nearest('float', undefined)).toBeNaN();
    expect(nearest('double', 3n)).toBe(3);
  });
});

describe('text', () => {
  const texts = {
    empty: '',
    ASCII: 'plain',
    'as long as the fast way goes': 'a'.repeat(20),
    'one longer': 'a'.repeat(21),
    long: 'x'.repeat(5000),
    'Latin, short': 'Grüße',
    'with a character at the end that is not ASCII': 'aaaaaaaaaaaaaaaaaaaé',
    'long and not ASCII': 'Ω≈ç√∫'.repeat(500),
    'beyond the basic plane': 'a😀b',
    'with NULs inside': 'a\0b\0',
  };

  it.each(Object.entries(texts))('that is %s is kept in UTF-8 and in UTF-16', (_, text) => {
    expect(readBack('string', text)).toBe(text);
    expect(readBack('utf16', text)).toBe(text);
  });

  it('with half a surrogate pair has U+FFFD there in UTF-8, and is unchanged in UTF-16', () => {
    for (const text of ['a\ud800b', `${'long'.repeat(10)}\udfff`]) {
      expect(readBack('string', text)).toBe(text.replace(/\p{Surrogate}/u, '\ufffd'));
      expect(readBack('utf16', text)).toBe(text);
    }
  });

  it.each<FieldType>(['string', 'utf16'])(
    'of type %s is converted from simple values, which are counted, and from no others',
    (type) => {
      expect(nearest(type, 5)).toBe('5');
      expect(nearest(type, true)).toBe('true');
      expect(nearest(type, 10n)).toBe('10');
      const hostile = {
        toString() {
          throw new Error('never called');
        },
      };
      for (const value of [undefined, null, {}, hostile, Symbol('s'), Object.create(null)]) {
        expect(nearest(type, value)).toBe('');
      }
    },
  );
});

describe('JSON', () => {
  it('is the result of JSON.stringify for any value', () => {
    for (const value of [{ a: [1, null, 'é'] }, 'text', 5, null, true, [], { toJSON: () => 'mine' }]) {
      expect(readBack('json', value)).toBe(JSON.stringify(value));
    }
  });

  it('is null where that has no result', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const hostile = {
      toJSON() {
        throw new Error('no');
      },
    };
    for (const value of [undefined, () => 1, Symbol('s'), 5n, cycle, hostile]) {
      expect(nearest('json', value)).toBe('null');
    }
  });
});

describe('binary', () => {
  it('accepts a Uint8Array of any kind', () => {
    expect(readBack('binary', Uint8Array.of(1, 2, 255))).toEqual(Uint8Array.of(1, 2, 255));
    expect(readBack('binary', Buffer.from('hi'))).toEqual(Uint8Array.from([0x68, 0x69]));
    expect(readBack('binary', new Uint8Array(0))).toEqual(new Uint8Array(0));
    expect(readBack('binary', new Uint8Array(7000).fill(9))).toEqual(new Uint8Array(7000).fill(9));
    // A view of a part of a buffer is that part.
    expect(readBack('binary', Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toEqual(Uint8Array.of(2, 3));
  });

  it('is empty for anything else', () => {
    for (const value of [
      'text',
      [1, 2],
      new ArrayBuffer(2),
      new DataView(new ArrayBuffer(2)),
      null,
      undefined,
    ]) {
      expect(nearest('binary', value)).toEqual(new Uint8Array(0));
    }
  });
});

describe('GUIDs', () => {
  const text = '00112233-4455-6677-8899-aabbccddeeff';
  it('accept text in either case, or 16 bytes in the order of the text', () => {
    expect(readBack('guid', text)).toBe(text);
    expect(readBack('guid', text.toUpperCase())).toBe(text);
    expect(readBack('guid', Uint8Array.from(Buffer.from(text.replaceAll('-', ''), 'hex')))).toBe(text);
  });

  it('are all zeros for anything else', () => {
    const bad = [
      '',
      `{${text}}`,
      text.replaceAll('-', ''),
      text.replace('ff', 'fg'),
      text.replace('-', '_'),
      `${text.slice(0, -1)}\u0131`,
      new Uint8Array(15),
      5,
      undefined,
    ];
    for (const value of bad) expect(nearest('guid', value)).toBe('00000000-0000-0000-0000-000000000000');
  });
});

describe('times', () => {
  it('accept Dates or milliseconds, stored as whole seconds since 1970', () => {
    expect(readBack('time', new Date('2026-02-03T04:05:06.789Z'))).toBe(1770091506n);
    expect(readBack('time', 1500)).toBe(1n);
    expect(readBack('time', 0)).toBe(0n);
    // Before 1970, too, the second that has begun.
    expect(readBack('time', -1)).toBe(-1n);
    expect(readBack('time', new Date(8.64e15))).toBe(8640000000000n);
    expect(readBack('time', new Date(-8.64e15))).toBe(-8640000000000n);
  });

  it('are 1970 for invalid times', () => {
    for (const value of [new Date(Number.NaN), Number.NaN, '2026', undefined, null, 5n]) {
      expect(nearest('time', value)).toBe(0n);
    }
  });

  it('are the last possible ones for numbers beyond', () => {
    expect(nearest('time', 1e300)).toBe(MAX_INT_64);
    expect(nearest('time', -1e300)).toBe(MIN_INT_64);
    expect(nearest('time', Number.POSITIVE_INFINITY)).toBe(MAX_INT_64);
  });
});

describe('IP addresses', () => {
  it('accept text or bytes of either version', () => {
    expect(readBack('ipAddress', '127.0.0.1')).toBe('127.0.0.1');
    expect(readBack('ipAddress', '2001:DB8::1')).toBe('2001:db8::1');
    expect(readBack('ipAddress', Uint8Array.of(10, 0, 0, 1))).toBe('10.0.0.1');
    expect(readBack('ipAddress', new Uint8Array(16))).toBe('::');
  });

  it('are absent for anything else', () => {
    for (const value of ['localhost', '1.2.3', '', new Uint8Array(5), 7, null, undefined]) {
      expect(nearest('ipAddress', value)).toBeNull();
    }
  });
});

describe('nullable values', () => {
  const samples: readonly [FieldDefinition, unknown, unknown][] = [
    ['bool?', false, false],
    ['int8?', -1, -1],
    ['int16?', -2, -2],
    ['int32?', -3, -3],
    ['int64?', -4n, -4n],
    ['uint8?', 1, 1],
    ['uint16?', 2, 2],
    ['uint32?', 3, 3],
    ['uint64?', 4n, 4n],
    ['hex8?', 5, 5],
    ['hex16?', 6, 6],
    ['hex32?', 7, 7],
    ['hex64?', 8n, 8n],
    ['float?', 0.5, 0.5],
    ['double?', 0, 0],
    ['guid?', '00112233-4455-6677-8899-aabbccddeeff', '00112233-4455-6677-8899-aabbccddeeff'],
    ['time?', 5000, 5n],
    ['ipAddress?', '::1', '::1'],
    ['port?', 443, 443],
    ['errno?', 2, 2],
    ['pid?', 77, 77],
  ];

  it.each(samples)('of type %s are the value or null, and absent means null', (type, value, expected) => {
    expect(readBack(type, value)).toBe(expected);
    expect(readBack(type, null)).toBeNull();
    expect(readBack(type, undefined)).toBeNull();
    expect(readBack(`${type as 'bool?'}[]`, [value, null, value, undefined])).toEqual([
      expected,
      null,
      expected,
      null,
    ]);
  });

  it('can be bad like any others', () => {
    expect(nearest('uint8?', 300)).toBe(255);
    expect(nearest('guid?', 'x')).toBe('00000000-0000-0000-0000-000000000000');
    expect(nearest('ipAddress?', 'x')).toBeNull();
  });
});

describe('arrays', () => {
  it('may have any number of elements', () => {
    expect(readBack('uint32[]', [])).toEqual([]);
    expect(readBack('uint32[]', [1])).toEqual([1]);
    expect(readBack('string[]', ['a', '', 'ü'])).toEqual(['a', '', 'ü']);
    expect(readBack('binary[]', [Uint8Array.of(1), new Uint8Array(0)])).toEqual([
      Uint8Array.of(1),
      new Uint8Array(0),
    ]);
    expect(readBack('bool[]', [true, false])).toEqual([true, false]);
    expect(
      readBack(
        'uint16[]',
        Array.from({ length: 4000 }, (_, i) => i),
      ),
    ).toHaveLength(4000);
  });

  it('accept typed arrays', () => {
    expect(readBack('uint8[]', Uint8Array.of(1, 255))).toEqual([1, 255]);
    expect(readBack('int16[]', Int16Array.of(-1, 5))).toEqual([-1, 5]);
    expect(readBack('double[]', Float64Array.of(0.5, -0))).toEqual([0.5, -0]);
    expect(readBack('int64[]', BigInt64Array.of(-1n))).toEqual([-1n]);
    // The element type is the field's, not the array's.
    expect(readBack('uint32[]', Uint8Array.of(7))).toEqual([7]);
  });

  it('are empty if the value is not an array', () => {
    const iterable = new Set([1]);
    const arrayLike = { length: 1, 0: 1 };
    for (const value of ['text', iterable, arrayLike, new DataView(new ArrayBuffer(4)), null, undefined, 5]) {
      expect(nearest('uint8[]', value)).toEqual([]);
    }
  });

  it('count and name each bad element, including holes', () => {
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    const { decoded, faults, badValues } = encodeAndDecode({ f: 'uint8[]' }, { f: [1, 256, , -1] });
    expect(decoded.f).toEqual([1, 255, 0, 0]);
    expect(faults).toEqual({ badValues: 3, tooLarge: false });
    expect(badValues).toEqual([
      { field: 'f[1]', type: 'uint8', value: 256 },
      { field: 'f[2]', type: 'uint8', value: undefined },
      { field: 'f[3]', type: 'uint8', value: -1 },
    ]);
  });
});

describe('structs', () => {
  it('contain fields of any kind, including structs', () => {
    const type = { a: 'uint8', deep: { b: 'string[]', deeper: { c: 'guid?' } }, d: 'uint16' } as const;
    const value = { a: 1, deep: { b: ['x', 'y'], deeper: { c: null } }, d: 2 };
    expect(structuredClone(readBack(type, value))).toEqual(value);
  });

  it('also come in arrays, of any length', () => {
    const type = [{ name: 'string', sizes: 'uint32[]', point: { x: 'int8' } }] as const;
    const element = (name: string) => ({ name, sizes: [1, 2], point: { x: -1 } });
    expect(structuredClone(readBack(type, []))).toEqual([]);
    expect(structuredClone(readBack(type, [element('a'), element('b')]))).toEqual([
      element('a'),
      element('b'),
    ]);
  });

  it('that are missing are written as if without any of their fields', () => {
    const fields = { s: { a: 'uint8', b: 'guid?' }, end: 'uint8' } as const;
    for (const s of [undefined, null, 'text', 5]) {
      const { decoded, faults, badValues } = encodeAndDecode(fields, { s, end: 9 });
      expect(structuredClone(decoded)).toEqual({ s: { a: 0, b: null }, end: 9 });
      expect(faults).toEqual({ badValues: 1, tooLarge: false });
      expect(badValues).toEqual([{ field: 's', type: 'struct', value: s }]);
    }
  });

  it('name the bad value inside', () => {
    const fields = { user: { name: 'string', age: 'uint8' }, rows: [{ sizes: 'uint8[]' }] } as const;
    const payload = { user: { name: 'x', age: -5 }, rows: [{ sizes: [1] }, { sizes: [2, 1000] }, 7] };
    const { badValues } = encodeAndDecode(fields, payload);
    expect(badValues).toEqual([
      { field: 'user.age', type: 'uint8', value: -5 },
      { field: 'rows[1].sizes[1]', type: 'uint8', value: 1000 },
      { field: 'rows[2]', type: 'struct', value: 7 },
    ]);
  });
});

describe('a payload', () => {
  it('may have no prototype, getters, and additional members', () => {
    const payload = Object.assign(Object.create(null), { more: 1 });
    Object.defineProperty(payload, 'f', { get: () => 'got' });
    const { decoded, faults } = encodeAndDecode({ f: 'string' }, payload);
    expect(faults).toBeUndefined();
    expect(Object.entries(decoded)).toEqual([['f', 'got']]);
  });

  it('may lack fields, each of which is counted', () => {
    const { decoded, faults } = encodeAndDecode({ a: 'string', b: 'uint8', c: 'uint8?' }, {});
    expect(faults).toEqual({ badValues: 2, tooLarge: false });
    expect(Object.entries(decoded)).toEqual([
      ['a', ''],
      ['b', 0],
      ['c', null],
    ]);
  });

  it('may have fields whose names are not identifiers', () => {
    const names = ['a b', "it's", '"', '\\', '\u2028', '名', '`$', '1x', 'constructor', 'return'];
    const fields = Object.fromEntries(names.map((name) => [name, 'string' as const]));
    const payload = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    const { decoded, faults } = encodeAndDecode(fields, payload);
    expect(faults).toBeUndefined();
    expect(Object.entries(decoded)).toEqual(Object.entries(payload));
  });
});
