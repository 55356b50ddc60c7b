/** What is known of an event without encoding its description. */
import { describe, expect, it } from 'vitest';
import { eventHeaderSize } from '../../lib/wire/eventheader/encode.ts';
import { type EventSchema, type FieldSchema, mostDescriptionBytes } from '../../lib/wire/schema.ts';

const schemaOf = (name: string, fields: readonly FieldSchema[]): EventSchema => ({
  name,
  id: 1,
  version: 0,
  level: 4,
  keywords: 0n,
  opcode: 0,
  task: 0,
  tag: 0,
  fields,
});
const text = (name: string): FieldSchema => ({ name, type: 'string', nullable: false, array: false });

describe('the bound of a description', () => {
  const tagged: FieldSchema = { ...text('tagged'), tag: 0xffff, array: true };
  const members = [text('a'), tagged, text('\u{4e2d}'.repeat(50))];
  it.each([
    ['no fields', schemaOf('E', [])],
    ['a name of three bytes per character', schemaOf('\u{4e2d}'.repeat(300), [])],
    [
      'short names',
      schemaOf(
        'E',
        Array.from({ length: 100 }, (_, i) => text(`f${i}`)),
      ),
    ],
    [
      'tags, arrays and structs',
      schemaOf('E', [tagged, { ...text('s'), type: 'struct', fields: members } as FieldSchema]),
    ],
  ])('is never less than what EventHeader needs: %s', (_what, schema) => {
    const described = eventHeaderSize(schema) - eventHeaderSize(schemaOf('', []));
    expect(mostDescriptionBytes(schema)).toBeGreaterThanOrEqual(described);
  });
});
