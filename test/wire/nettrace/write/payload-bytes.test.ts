/** Payloads with fields of every type, written and read back. */
import { describe, expect, it } from 'vitest';
import { TypeCode } from '../../../../lib/wire/nettrace/constants.ts';
import type { NetTraceEvent } from '../../../../lib/wire/nettrace/event.ts';
import type { NetTraceField } from '../../../../lib/wire/nettrace/field-type.ts';
import { decodePayload } from '../../../../lib/wire/nettrace/payload.ts';
import { NetTraceBytes } from '../../../../lib/wire/nettrace/write/byte-writer.ts';
import { NetTraceWriter } from '../../../../lib/wire/nettrace/write/nettrace-writer.ts';
import { writePayload } from '../../../../lib/wire/nettrace/write/payload-bytes.ts';
import { ACTIVITY, KIND, TRACE, written } from './written-trace.ts';

const type = (code: number) => ({ code });
const arrayOf = (code: number) => ({ code: TypeCode.Array, element: type(code) });
const field = (name: string, of: NetTraceField['type']): NetTraceField => ({ name, type: of });

const FIELDS_V4 = [
  field('yes', type(TypeCode.Boolean32)),
  field('unit', type(TypeCode.Utf16Unit)),
  field('i8', type(TypeCode.Int8)),
  field('u8', type(TypeCode.Uint8)),
  field('i16', type(TypeCode.Int16)),
  field('u16', type(TypeCode.Uint16)),
  field('i32', type(TypeCode.Int32)),
  field('u32', type(TypeCode.Uint32)),
  field('i64', type(TypeCode.Int64)),
  field('u64', type(TypeCode.Uint64)),
  field('float', type(TypeCode.Float)),
  field('double', type(TypeCode.Double)),
  field('decimal', type(TypeCode.Decimal)),
  field('time', type(TypeCode.DateTime)),
  field('guid', type(TypeCode.Guid)),
  field('text', type(TypeCode.Utf16Text)),
  field('struct', {
    code: TypeCode.Object,
    fields: [field('inner', type(TypeCode.Int32)), field('deep', { code: TypeCode.Object, fields: [] })],
  }),
];
const ARRAYS = [
  field('numbers', arrayOf(TypeCode.Int32)),
  field('texts', arrayOf(TypeCode.Utf16Text)),
  field('binary', arrayOf(TypeCode.Uint8)),
  field('counted', arrayOf(TypeCode.Utf16Unit)),
  field('structs', {
    code: TypeCode.Array,
    element: { code: TypeCode.Object, fields: [field('Key', type(TypeCode.Utf16Text))] },
  }),
];
const FIELDS_V6 = [
  ...ARRAYS,
  field('varint', type(TypeCode.VarInt)),
  field('varuint', type(TypeCode.VarUint)),
  field('three', { code: TypeCode.FixedArray, element: type(TypeCode.Uint16), count: 3 }),
  field('utf8', arrayOf(TypeCode.Utf8Unit)),
  field('near', { code: TypeCode.RelLoc, element: type(TypeCode.Utf8Unit) }),
  field('far', { code: TypeCode.DataLoc, element: type(TypeCode.Int32) }),
  field('byte', type(TypeCode.Utf8Unit)),
  field('no', type(TypeCode.Boolean8)),
];
const VALUES = {
  yes: true,
  unit: 'é',
  i8: -128,
  u8: 255,
  i16: -32768,
  u16: 65535,
  i32: -(2 ** 31),
  u32: 2 ** 32 - 1,
  i64: -(2n ** 63n),
  u64: 2n ** 64n - 1n,
  float: 1.5,
  double: Math.PI,
  decimal: Uint8Array.from({ length: 16 }, (_, i) => i),
  time: 133_000_000_000_000_000n,
  guid: ACTIVITY,
  text: 'π 🐎 \ud800',
  struct: { inner: -5, deep: {} },
  numbers: [1, -2, 3],
  texts: ['a', '', 'c'],
  binary: Uint8Array.of(9, 8, 7),
  counted: 'a\0b',
  structs: [{ Key: 'k' }, { Key: '' }],
  varint: -(2n ** 63n),
  varuint: 2n ** 64n - 1n,
  three: [1, 2, 3],
  utf8: 'π 🐎',
  near: 'nearby',
  far: [-1, 2 ** 31 - 1],
  byte: 'A',
  no: false,
};

describe.each([
  [4, FIELDS_V4],
  [4, [...FIELDS_V4, ...ARRAYS]],
  [6, [...FIELDS_V4, ...FIELDS_V6]],
] as const)('payloads of version %i', (version, fields) => {
  it(`may have fields of every type (${fields.length})`, () => {
    const writer = new NetTraceWriter(version, TRACE);
    const bytes = new NetTraceBytes();
    writePayload(bytes, fields, VALUES);
    const metadataId = writer.define({ ...KIND, fields });
    writer.write({ metadataId, thread: writer.thread({ threadId: 1 }), ticks: 1n, payload: bytes.take() });
    const [event] = written(writer).events as [NetTraceEvent];
    expect(event.metadata.fields).toEqual(fields);
    const { block, payloadStart, payloadEnd } = event;
    const { payload, problem } = decodePayload(event.metadata.fields, block, payloadStart, payloadEnd);
    expect(problem).toBeUndefined();
    const names = new Set(fields.map(({ name }) => name));
    const expected = Object.fromEntries(Object.entries(VALUES).filter(([name]) => names.has(name)));
    expect(JSON.stringify({ ...payload }, plain)).toBe(JSON.stringify(expected, plain));
  });
});

/** For comparing payloads, whose objects have no prototype. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Uint8Array ? `hex ${Buffer.from(value).toString('hex')}` : value;
}

describe('a payload', () => {
  const bytesOf = (fields: readonly NetTraceField[], payload: Parameters<typeof writePayload>[2]) => {
    const bytes = new NetTraceBytes();
    writePayload(bytes, fields, payload);
    return [...bytes.take()];
  };
  const [a, b] = [field('a', type(TypeCode.Int16)), field('b', type(TypeCode.Int16))];

  it('ends before the fields that have no value, and has zero for others', () => {
    expect(bytesOf([a, b], { a: 1 })).toEqual([1, 0]);
    expect(bytesOf([a, b], { b: 1 })).toEqual([0, 0, 1, 0]);
    expect(bytesOf([a, b], {})).toEqual([]);
  });

  it('rejects values of another type', () => {
    expect(() => bytesOf([field('id', type(TypeCode.Guid))], { id: 'me' })).toThrow(
      'Field "id" of type 17 cannot be me.',
    );
    expect(() => bytesOf([field('n', type(TypeCode.Uint64))], { n: 1.5 })).toThrow('type 12 cannot be 1.5.');
    const three = field('three', { code: TypeCode.FixedArray, element: type(TypeCode.Uint16), count: 3 });
    expect(() => bytesOf([three], { three: [1, 2] })).toThrow('Field "three" of type 22 cannot be 1,2.');
  });
});
