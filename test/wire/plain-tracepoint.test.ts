/** Plain tracepoints: the declaration of their fields to the kernel, and their layout. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../lib/activity/guid.ts';
import { fieldSchemas } from '../../lib/source/field-schemas.ts';
import type { FieldDefinitions } from '../../lib/source/fields.ts';
import { parseTracepointFormat } from '../../lib/wire/perf-data/tracepoint-format.ts';
import { readTracepointValue } from '../../lib/wire/perf-data/tracepoint-value.ts';
import {
  PlainTracepointEncoder,
  plainTracepointDefinition,
  plainTracepointProblem,
} from '../../lib/wire/plain-tracepoint.ts';
import type { EventSchema } from '../../lib/wire/schema.ts';
import { scratch } from '../../lib/wire/scratch.ts';
import { WRITE_INDEX_SIZE } from '../../lib/wire/user-events.ts';
import { type Payload, takeFaults } from '../../lib/wire/values/faults.ts';

const PROVIDER = 'My-App';
const ACTIVITY = Guid.parse('00010203-0405-0607-0809-0a0b0c0d0e0f');
const RELATED = Guid.parse('f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff');
const IDS = 'u64 activity_hi; u64 activity_lo; u64 related_hi; u64 related_lo';

function schemaOf(fields: FieldDefinitions, name = 'Sale'): EventSchema {
  const numbers = { id: 1, version: 0, level: 4, keywords: 0n, opcode: 0, task: 1, tag: 0 };
  return { ...numbers, name, fields: fieldSchemas('My-App.Sale', fields) };
}

const SIZES: Readonly<Record<string, number>> = { 8: 1, 16: 2, 32: 4, 64: 8 };

/** As the kernel lays out the fields of a definition: packed, from byte 8 of an entry. */
function formatOf(definition: string) {
  let offset = 8;
  const lines = definition
    .slice(definition.indexOf(' ') + 1)
    .split('; ')
    .map((field) => {
      const size = field.startsWith('__rel_loc') ? 4 : (SIZES[field.slice(1, field.indexOf(' '))] as number);
      const line = `\tfield:${field};\toffset:${offset};\tsize:${size};\tsigned:${field.startsWith('s') ? 1 : 0};`;
      expect(offset % size).toBe(0);
      offset += size;
      return line;
    });
  return parseTracepointFormat('user_events', `name: x\nID: 1\n${lines.join('\n')}`);
}

/** What a reader of the kernel's format finds in the event. */
function written(fields: FieldDefinitions, payload: Payload, activity?: Guid, related?: Guid) {
  const schema = schemaOf(fields);
  const size = new PlainTracepointEncoder(schema).encode(payload, activity, related);
  const raw = new Uint8Array(8 + size - WRITE_INDEX_SIZE);
  raw.set(scratch.subarray(WRITE_INDEX_SIZE, size), 8);
  const format = formatOf(plainTracepointDefinition(PROVIDER, schema));
  return Object.fromEntries(
    (format?.fields ?? []).map((field) => [field.name, readTracepointValue(field, raw, true)]),
  );
}

describe('the definition of a plain tracepoint', () => {
  it('has the ids and then the fields, in order of alignment', () => {
    const schema = schemaOf({
      flag: 'bool',
      'the url': 'string',
      port: 'port',
      big: 'int64',
      size: 'uint32',
    });
    expect(plainTracepointDefinition(PROVIDER, schema)).toBe(
      `My_App_Sale ${IDS}; s64 big; __rel_loc char[] the_url; u32 size; u16 port; u8 flag`,
    );
    expect(plainTracepointDefinition(PROVIDER, schemaOf({}, 'Größe'))).toBe(`My_App_Gr__e ${IDS}`);
  });

  it.each<[FieldDefinitions, string]>([
    [{ s: { x: 'uint8' } }, 'the field "s" is a struct, which plain tracepoints cannot have.'],
    [{ a: 'uint8[]' }, 'the field "a" is an array, which plain tracepoints cannot have.'],
    [{ n: 'uint8?' }, 'the field "n" is nullable, which plain tracepoints cannot have.'],
    [{ d: 'double' }, 'the field "d" is of type double, which plain tracepoints cannot have.'],
    [{ 'a.b': 'uint8', a_b: 'uint8' }, 'the plain tracepoint would have two fields "a_b".'],
    [{ related: 'guid' }, 'the plain tracepoint would have two fields "related_hi".'],
    [
      { ['x'.repeat(440)]: 'uint8' },
      'its plain tracepoint has a name of 11 characters and 521 with its fields; the kernel accepts 255 and 511.',
    ],
  ])('is rejected: %j', (fields, problem) => {
    expect(plainTracepointProblem(PROVIDER, schemaOf(fields))).toBe(problem);
  });
});

describe('an event of a plain tracepoint', () => {
  it('has its ids as the two halves of their text', () => {
    const [low, high] = [0x08090a0b0c0d0e0fn, 0x0001020304050607n];
    const none = { related_hi: 0n, related_lo: 0n };
    const related = { related_hi: 0xf0f1f2f3f4f5f6f7n, related_lo: 0xf8f9fafbfcfdfeffn };
    expect(written({}, {}, ACTIVITY, RELATED)).toEqual({ activity_hi: high, activity_lo: low, ...related });
    expect(written({}, {}, ACTIVITY)).toEqual({ activity_hi: high, activity_lo: low, ...none });
    expect(written({}, {})).toEqual({ activity_hi: 0n, activity_lo: 0n, ...none });
  });

  it('has values of every type', () => {
    const values = written(
      {
        flag: 'bool',
        text: 'string',
        i8: 'int8',
        none: 'string',
        i16: 'int16',
        u64: 'uint64',
        json: 'json',
        bytes: 'binary',
        guid: 'guid',
        time: 'time',
        address: 'ipAddress',
        port: 'port',
        errno: 'errno',
      },
      {
        flag: true,
        text: 'ü€',
        i8: -1,
        none: '',
        i16: -2,
        u64: 2n ** 63n,
        json: { a: 1 },
        bytes: Uint8Array.of(1, 2, 3),
        guid: ACTIVITY.toString(),
        time: new Date(1.5e12),
        address: '::1',
        port: 443,
        errno: 2,
      },
    );
    expect(values).toMatchObject({
      flag: 1,
      text: 'ü€',
      i8: -1,
      none: '',
      i16: -2,
      u64: 2n ** 63n,
      json: '{"a":1}',
      bytes: Uint8Array.of(1, 2, 3),
      guid_hi: 0x0001020304050607n,
      guid_lo: 0x08090a0b0c0d0e0fn,
      time: 1_500_000_000_000_000_000n,
      address: '::1',
      port: 443,
      errno: 2,
    });
    expect(takeFaults()).toBeUndefined();
  });

  it('has the nearest values to those that do not fit, which are counted', () => {
    const fields = {
      text: 'string',
      size: 'uint8',
      bytes: 'binary',
      time: 'time',
      address: 'ipAddress',
    } as const;
    const values = written(fields, { text: 'a\0b', size: 300, bytes: 'x', time: 'x', address: 'x' });
    expect(values).toMatchObject({ text: 'a', size: 255, bytes: new Uint8Array(0), time: 0n, address: '' });
    expect(takeFaults()).toEqual({ badValues: 5, tooLarge: false });
  });

  it('is too large if it exceeds the scratch buffer, however the size is distributed', () => {
    const fields = { a: 'string', b: 'binary', c: 'string' } as const;
    written(fields, { a: 'x'.repeat(40_000), b: new Uint8Array(20_000), c: '€'.repeat(30_000) });
    expect(takeFaults()).toMatchObject({ tooLarge: true });
    new PlainTracepointEncoder(schemaOf(fields)).encode(
      { a: '', b: new Uint8Array(70_000), c: '' },
      undefined,
      undefined,
    );
    expect(takeFaults()).toMatchObject({ tooLarge: true });
  });
});
