/** Events with the same fields in the same format share one compiled writer; the values that it writes are tested by format. */
import { describe, expect, it } from 'vitest';
import { fieldSchemas } from '../../lib/source/field-schemas.ts';
import type { FieldDefinitions } from '../../lib/source/fields.ts';
import { compilePayloadWriter, type ValueSchema } from '../../lib/wire/payload-writer.ts';
import type { ValueWriter } from '../../lib/wire/values/faults.ts';

const writerOf =
  (size: number) =>
  (_: ValueSchema): ValueWriter =>
  (offset) =>
    offset + size;
const ofBytes = writerOf(1);
const fields = (definitions: FieldDefinitions) => fieldSchemas('Test', definitions);

describe('compilePayloadWriter', () => {
  it('returns the same function for the same fields, whichever event has them', () => {
    const first = compilePayloadWriter(fields({ key: 'string', user: { id: 'uint32' } }), ofBytes);
    expect(compilePayloadWriter(fields({ key: 'string', user: { id: 'uint32' } }), ofBytes)).toBe(first);
  });

  it.each<[string, FieldDefinitions]>([
    ['name', { other: 'string' }],
    ['type', { key: 'utf16' }],
    ['element', { key: 'string[]' }],
    ['member', { key: { id: 'uint32' } }],
  ])('returns another one for another %s', (_, other) => {
    const first = compilePayloadWriter(fields({ key: 'string' }), ofBytes);
    expect(compilePayloadWriter(fields(other), ofBytes)).not.toBe(first);
  });

  it('returns another one for another format', () => {
    const text = fields({ key: 'string' });
    expect(compilePayloadWriter(text, ofBytes)(0, {})).toBe(1);
    expect(compilePayloadWriter(text, writerOf(2))(0, {})).toBe(2);
  });
});
