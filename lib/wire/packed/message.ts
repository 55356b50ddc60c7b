/** An event in words: its message with the values of its fields, or only these. */
import { hexText } from '../../base/bytes.ts';
import type { Payload } from '../decoded-field.ts';
import { namesText } from '../field-map.ts';
import { fileTimeText } from '../windows-values.ts';
import type { EventDescription, PackedField } from './field.ts';
import { HEX_TYPES } from './hex-fields.ts';

/** `%1` to `%99`, optionally with a printf format between exclamation marks, which is ignored; `%n`, `%t`, `%%`. */
const MARK = /%(?:([1-9][0-9]?)(?:![^!]*!)?|([nt%]))/g;

const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '    ', '%': '%' };

/**
 * The event's message or, without one, its fields: `Count = 1, Reason = Induced`. Numbers with a name in a map are
 * shown by name. Placeholders of fields that the payload lacks are left unchanged.
 */
export function formatMessage(description: EventDescription, payload: Payload): string {
  const { message, fields } = description;
  if (message === undefined) return fieldsText(fields, payload);
  return message.replaceAll(MARK, (mark: string, number: string | undefined, letter: string | undefined) => {
    if (letter !== undefined) return LETTERS[letter] ?? mark;
    const field = fields[Number(number) - 1];
    const value = field && payload[field.name];
    return field === undefined || value === undefined ? mark : valueText(field, value);
  });
}

type PayloadValue = Payload[string];

function fieldsText(fields: readonly PackedField[], payload: Payload): string {
  const texts: string[] = [];
  for (const field of fields) {
    const value = payload[field.name];
    if (value !== undefined) texts.push(`${field.name} = ${valueText(field, value)}`);
  }
  return texts.join(', ');
}

/** A value as people read it: numbers in a map by name, those described as hex in hex, times as dates. */
export function valueText(field: PackedField, value: PayloadValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => valueText(field, item)).join(', ')}]`;
  if (isStruct(value)) return `{${fieldsText(field.fields ?? [], value)}}`;
  if (value instanceof Uint8Array) return hexText(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  const names = field.map === undefined ? undefined : namesText(field.map, value);
  if (names !== undefined) return names;
  if (typeof value === 'bigint' && field.type === 'filetime') return fileTimeText(value);
  return HEX_TYPES.has(field.type) ? `0x${value.toString(16)}` : String(value);
}

function isStruct(value: PayloadValue): value is Payload {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}
