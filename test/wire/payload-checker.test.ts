/** Checking a payload without encoding it finds the same bad values as encoding it, for each type of each format. */
import { describe, expect, it } from 'vitest';
import { fieldSchemas } from '../../lib/source/field-schemas.ts';
import type { FieldDefinitions } from '../../lib/source/fields.ts';
import { ETW_CHECKS } from '../../lib/wire/etw/values.ts';
import type { EventEncoder } from '../../lib/wire/event-encoder.ts';
import { EventHeaderEncoder } from '../../lib/wire/eventheader/encode.ts';
import { ManifestEncoder } from '../../lib/wire/manifest/encode.ts';
import { MANIFEST_CHECKS } from '../../lib/wire/manifest/field-layouts.ts';
import { PayloadChecker } from '../../lib/wire/payload-checker.ts';
import { COUNTED_TYPES, type EventSchema, FIELD_TYPES, type FieldType } from '../../lib/wire/schema.ts';
import { TraceLoggingEncoder } from '../../lib/wire/tracelogging/encode.ts';
import { CHECKS, type Checks } from '../../lib/wire/values/checks.ts';
import { type Payload, takeFaults } from '../../lib/wire/values/faults.ts';
import { schemaOf } from './eventheader/encoded-event.ts';

interface Format {
  readonly name: string;
  readonly encoderOf: (schema: EventSchema) => EventEncoder;
  readonly checks: Checks;
}
const FORMATS: readonly Format[] = [
  { name: 'EventHeader', encoderOf: (schema) => new EventHeaderEncoder(schema), checks: CHECKS },
  { name: 'TraceLogging', encoderOf: (schema) => new TraceLoggingEncoder(schema), checks: ETW_CHECKS },
  { name: 'manifest', encoderOf: (schema) => new ManifestEncoder(schema), checks: MANIFEST_CHECKS },
];

const INTEGERS = [8, 16, 31, 32, 53, 63, 64].flatMap((bits) => [
  2 ** bits - 1,
  2 ** bits,
  -(2 ** bits),
  -(2 ** bits) - 1,
]);
const NUMBERS = [
  0,
  -0,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 60,
  8.64e15,
  -8.64e15,
  9.2e14,
  -1.2e13,
  ...INTEGERS,
];
const cycle: { self?: unknown } = {};
cycle.self = cycle;
const VALUES: readonly unknown[] = [
  ...NUMBERS,
  ...[7, 8, 31, 32, 63, 64, 65].flatMap((bits) => [
    1n << BigInt(bits),
    -(1n << BigInt(bits)),
    (1n << BigInt(bits)) - 1n,
  ]),
  true,
  null,
  undefined,
  Symbol('symbol'),
  () => {},
  '',
  'text',
  'NUL \0 inside',
  '127.0.0.1',
  '::1',
  '1.2.3',
  '11111111-2222-3333-4444-555555555555',
  '11111111-2222-3333-4444-55555555555g',
  '{11111111-2222-3333-4444-555555555555}',
  new Date(0),
  new Date(-12e12),
  new Date(Number.NaN),
  new Uint8Array(4),
  new Uint8Array(16),
  new Uint8Array(5),
  Buffer.from('bytes'),
  new DataView(new ArrayBuffer(8)),
  {},
  { toJSON: () => undefined },
  cycle,
  [],
];

/** What encoding counts, and what checking finds. */
function both({ encoderOf, checks }: Format, schema: EventSchema, payload: Payload) {
  encoderOf(schema).encode(payload, undefined, undefined);
  const checker = new PayloadChecker(schema.fields, checks);
  return {
    counted: takeFaults()?.badValues ?? 0,
    found: checker.badValues(payload).length,
    fits: checker.compile()(payload),
  };
}

function expectSame(format: Format, definitions: FieldDefinitions, payload: Payload): void {
  const { counted, found, fits } = both(format, schemaOf(definitions), payload);
  expect({ found, fits }, `${format.name} ${JSON.stringify(definitions)}`).toEqual({
    found: counted,
    fits: counted === 0,
  });
}

const isCounted = (type: FieldType) => (COUNTED_TYPES as readonly FieldType[]).includes(type);
const typesOf = ({ checks, name }: Format) =>
  FIELD_TYPES.filter((type) => checks[type] !== undefined && !(name === 'manifest' && type === 'ipAddress'));

describe.each(FORMATS)('$name', (format) => {
  it.each(typesOf(format))('%s', (type) => {
    for (const value of VALUES) expectSame(format, { f: type }, { f: value });
  });

  if (format.name === 'manifest') return;

  it.each(typesOf(format))('%s, nullable, in arrays and in structs', (type) => {
    for (const value of VALUES) {
      if (!isCounted(type)) expectSame(format, { f: `${type}?` } as FieldDefinitions, { f: value });
      expectSame(format, { f: `${type}[]` } as FieldDefinitions, { f: [value, value] });
      expectSame(format, { f: `${type}[]` } as FieldDefinitions, { f: value });
      expectSame(
        format,
        { a: type, s: { b: type, deep: { c: type } } },
        { a: value, s: { b: value, deep: value } },
      );
      expectSame(format, { s: [{ b: type }] }, { s: [{ b: value }, value] });
    }
  });

  it.each(typesOf(format))('typed arrays of %s', (type) => {
    const values = [-200, -1, 0, 1, 200, 70_000];
    for (const Typed of [Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array])
      expectSame(format, { f: `${type}[]` } as FieldDefinitions, { f: Typed.from(values) });
    for (const Typed of [Float32Array, Float64Array, Uint8ClampedArray])
      expectSame(format, { f: `${type}[]` } as FieldDefinitions, { f: Typed.from(values) });
    for (const Typed of [BigInt64Array, BigUint64Array])
      expectSame(format, { f: `${type}[]` } as FieldDefinitions, { f: Typed.from(values.map(BigInt)) });
  });
});

it('reads each field once, even after one that does not fit', () => {
  const read: string[] = [];
  const payload = new Proxy({}, { get: (_, name) => read.push(String(name)) });
  const checker = new PayloadChecker(fieldSchemas('P.E', { a: 'string', b: 'uint8', c: 'string' }), CHECKS);
  expect(checker.compile()(payload)).toBe(false);
  expect(read).toEqual(['a', 'b', 'c']);
});
