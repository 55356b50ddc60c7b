/** Fields with names for their numbers: how they are defined, which mistakes are refused, and what listeners get. */
import { describe, expect, it } from 'vitest';
import { bitMap, DefinitionError, defineEventSource, event, listen, valueMap } from '../../lib/index.ts';
import { fieldSchemas } from '../../lib/source/field-schemas.ts';
import type { FieldDefinition } from '../../lib/source/fields.ts';
import { layoutText } from '../../lib/wire/schema.ts';
import { encodeAndDecode, schemaOf } from '../wire/eventheader/encoded-event.ts';

/** What TypeScript makes of `enum Status { Idle, Busy, Broken = 7 }`. */
const Status = { 0: 'Idle', 1: 'Busy', 7: 'Broken', Idle: 0, Busy: 1, Broken: 7 } as const;

/** And of flags with zero and combinations. */
const Access = Object.assign(
  { None: 0, Read: 1, Write: 2, ReadWrite: 3, All: 0x8000_0003, Delete: 0x8000_0000 },
  { 0: 'None', 1: 'Read', 2: 'Write', 3: 'ReadWrite', 2147483651: 'All', 2147483648: 'Delete' },
);

const schemaOfField = (definition: FieldDefinition) => fieldSchemas('P.E', { f: definition })[0];

function mistakeIn(definition: () => unknown): string {
  try {
    definition();
  } catch (error) {
    expect(error).toBeInstanceOf(DefinitionError);
    return (error as Error).message;
  }
  throw new Error('The map was accepted.');
}

describe('a value map', () => {
  it('names the values of a uint32, or of another unsigned type', () => {
    const map = {
      name: 'Status',
      kind: 'value',
      names: [
        [0, 'Idle'],
        [1, 'Busy'],
      ],
    };
    const names = { Idle: 0, Busy: 1 };
    expect(schemaOfField(valueMap('Status', names))).toEqual({
      name: 'f',
      type: 'uint32',
      nullable: false,
      array: false,
      map,
    });
    expect(schemaOfField(valueMap('Status', names, 'uint8'))).toMatchObject({ type: 'uint8', map });
    expect(schemaOfField([valueMap('Status', names, 'uint16')])).toMatchObject({
      type: 'uint16',
      array: true,
      map,
    });
  });

  it('can be an enum of TypeScript', () => {
    expect(schemaOfField(valueMap('Status', Status))).toMatchObject({
      map: {
        names: [
          [0, 'Idle'],
          [1, 'Busy'],
          [7, 'Broken'],
        ],
      },
    });
  });

  it('accepts and delivers numbers, those without a name, too', () => {
    const log = defineEventSource('FieldMaps', {
      Changed: event({
        status: valueMap('Status', Status, 'uint8'),
        all: [valueMap('Status', Status, 'uint8')],
      }),
    });
    const payloads: object[] = [];
    const subscription = listen(log, ({ payload }) => payloads.push(payload));
    log.Changed({ status: Status.Busy, all: [Status.Idle, 200] });
    subscription.close();
    expect(payloads).toEqual([{ status: 1, all: [0, 200] }]);
    expect(log.stats().badValues).toBe(0);
  });

  it.each<[string, () => unknown, string]>([
    ['no names', () => valueMap('M', {}), 'valueMap M: a map needs at least one name.'],
    [
      'no object',
      () => valueMap('M', 'x' as never),
      "valueMap M: expected an object of names and numbers, not 'x'.",
    ],
    [
      'a name that is no string',
      () => valueMap(7 as never, {}),
      "valueMap: the map's name 7 is not a string.",
    ],
    ['an empty name', () => valueMap('', {}), "valueMap: the map's name '' is empty."],
    [
      'an unknown type',
      () => valueMap('M', { A: 1 }, 'int8' as never),
      "valueMap M: the type must be uint8, uint16, uint32, not 'int8'.",
    ],
    ['a value twice', () => valueMap('M', { A: 1, B: 1 }), "valueMap M: 'A' and 'B' have the same value, 1."],
    [
      'a value out of range',
      () => valueMap('M', { A: 256 }, 'uint8'),
      "valueMap M: the value of 'A' must be an integer from 0 to 255 (uint8), not 256.",
    ],
    [
      'a negative value',
      () => valueMap('M', { A: -1 }),
      "valueMap M: the value of 'A' must be an integer from 0 to 4294967295 (uint32), not -1.",
    ],
    [
      'a fraction',
      () => valueMap('M', { A: 0.5 }),
      "valueMap M: the value of 'A' must be an integer from 0 to 4294967295 (uint32), not 0.5.",
    ],
    [
      'text',
      () => valueMap('M', { A: 'a' }),
      "valueMap M: the value of 'A' must be an integer from 0 to 4294967295 (uint32), not 'a'.",
    ],
    ['an entry without a name', () => valueMap('M', { '': 1 }), "valueMap M: the name '' is empty."],
  ])('with %s is refused', (_what, definition, message) => {
    expect(mistakeIn(definition)).toBe(message);
  });
});

describe('a bit map', () => {
  it('names single bits: zero and combinations are left out, as by .NET', () => {
    const names = [
      [1, 'Read'],
      [2, 'Write'],
      [0x8000_0000, 'Delete'],
    ];
    expect(schemaOfField(bitMap('Access', Access))).toMatchObject({
      type: 'uint32',
      map: { name: 'Access', kind: 'bits', names },
    });
  });

  it.each<[string, () => unknown, string]>([
    ['only zero', () => bitMap('M', { None: 0 }), 'bitMap M: a map needs at least one name.'],
    ['a bit twice', () => bitMap('M', { A: 4, B: 4 }), "bitMap M: 'A' and 'B' have the same value, 4."],
    [
      'several bits at once',
      () => bitMap('M', { A: 1, B: 7 }),
      "bitMap M: the value of 'B' must be one bit, or several that have names of their own, but 0x6 has none.",
    ],
    [
      'the sign bit of an int32',
      () => bitMap('M', { A: 1 << 31 }),
      "bitMap M: the value of 'A' must be an integer from 0 to 4294967295 (uint32), not -2147483648.",
    ],
  ])('with %s is refused', (_what, definition, message) => {
    expect(mistakeIn(definition)).toBe(message);
  });
});

describe('a map of a source', () => {
  it('can be used by several fields, but not have the name of another', () => {
    const status = valueMap('Status', Status);
    const define = (other: FieldDefinition) =>
      defineEventSource('P', { A: event({ x: status }), B: event({ s: { y: status, z: other } }) });
    expect(() => define(valueMap('Status', { ...Status }))).not.toThrow();
    expect(mistakeIn(() => define(valueMap('Status', { Idle: 0 })))).toBe(
      'P.B: the source already has another map with the name "Status".',
    );
  });

  it('gives listeners the names of numbers, as tools show them', () => {
    const log = defineEventSource('FieldTexts', {
      E: event({
        status: valueMap('Status', Status, 'uint8'),
        access: bitMap('Access', Access),
        all: [valueMap('Status', Status, 'uint8')],
        plain: 'uint8',
      }),
    });
    const texts: unknown[] = [];
    const subscription = listen(log, (written) =>
      texts.push(['status', 'access', 'all', 'plain', 'none'].map((field) => written.fieldText(field))),
    );
    log.E({ status: 7, access: 3, all: [1, 200], plain: 1 });
    log.E({ status: 200, access: 0x11, all: [], plain: 1 });
    log.E({ status: 0.5, access: 'x' as never, all: Uint8Array.of(0), plain: 1 });
    subscription.close();
    expect(texts).toEqual([
      ['Broken', 'Read|Write', '[Busy, 200]', undefined, undefined],
      [undefined, 'Read|0x10', '[]', undefined, undefined],
      [undefined, undefined, '[Idle]', undefined, undefined],
    ]);
    expect(subscription.failures).toBe(0);
  });

  it('changes no byte of self-describing events, which have no names', () => {
    const named = { a: valueMap('S', Status, 'uint8'), b: [bitMap('A', Access)] } as const;
    const payload = { a: 7, b: [1, 2] };
    expect(encodeAndDecode(named, payload)).toEqual(encodeAndDecode({ a: 'uint8', b: 'uint32[]' }, payload));
  });

  it('belongs to what readers learn about an event', () => {
    const [one, two] = [{ A: 1 }, { B: 1 }].map((names) => layoutText(schemaOf({ f: valueMap('M', names) })));
    expect(one).not.toBe(two);
  });
});
