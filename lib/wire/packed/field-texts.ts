/** The fields of an event that people read as text in place of their values: numbers with names, and times. */
import type { Payload } from '../decoded-field.ts';
import type { PackedField } from './field.ts';
import { valueText } from './message.ts';

/** Maps a field to the function that shows a value, in a payload of this size in bytes, as text. */
export type FieldTexts = ReadonlyMap<string, (value: Payload[string], size: number) => string>;

const known = new WeakMap<readonly PackedField[], FieldTexts>();

export function fieldTextsOf(fields: readonly PackedField[]): FieldTexts {
  let texts = known.get(fields);
  if (texts === undefined) {
    const shown = fields.filter(isText);
    texts = new Map(shown.map((field) => [field.name, (value, size) => valueText(field, value, size)]));
    known.set(fields, texts);
  }
  return texts;
}

function isText({ map, type, fields = [] }: PackedField): boolean {
  return map !== undefined || type === 'filetime' || fields.some(isText);
}
