/** An event in words: its message with the values of its fields, or only these. */
import { hexText } from '../../base/bytes.ts';
import type { Payload, Value } from '../decoded-field.ts';
import { namesText } from '../field-map.ts';
import { BoundedText } from '../output-limits.ts';
import { fileTimeText } from '../windows-values.ts';
import type { EventDescription, PackedField } from './field.ts';
import { HEX_TYPES } from './hex-fields.ts';

/** `%1` to `%99`, optionally with a printf format between exclamation marks, which is ignored; `%n`, `%t`, `%%`. */
const MARK = /%(?:([1-9][0-9]?)(?:![^!]*!)?|([nt%]))/g;

const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '    ', '%': '%' };

/**
 * The event's message or, without one, its fields: `Count = 1, Reason = Induced`. Numbers with a name in a map are
 * shown by name. Placeholders of fields that the payload lacks are left unchanged.
 *
 * @param size of the payload in bytes
 */
export function formatMessage(description: EventDescription, payload: Payload, size: number): string {
  const { message, fields } = description;
  const text = new BoundedText(size);
  if (message === undefined) {
    addFields(text, fields, payload);
    return text.toString();
  }
  let end = 0;
  for (const { 0: mark, 1: number, 2: letter, index } of message.matchAll(MARK)) {
    text.add(message.slice(end, index));
    if (text.isFull) break;
    end = index + mark.length;
    const field = fields[Number(number) - 1];
    const value = field && payload[field.name];
    if (letter !== undefined) text.add(LETTERS[letter] ?? mark);
    else if (field === undefined || value === undefined) text.add(mark);
    else addValue(text, field, value);
  }
  text.add(message.slice(end));
  return text.toString();
}

type PayloadValue = Payload[string];

function addFields(text: BoundedText, fields: readonly PackedField[], payload: Payload): void {
  let separator = '';
  for (const field of fields) {
    const value = payload[field.name];
    if (value === undefined) continue;
    text.add(`${separator}${field.name} = `);
    addValue(text, field, value);
    separator = ', ';
  }
}

/**
 * A value as people read it: numbers in a map by name, those described as hex in hex, times as dates.
 *
 * @param size of the payload in bytes
 */
export function valueText(field: PackedField, value: PayloadValue, size: number): string {
  const text = new BoundedText(size);
  addValue(text, field, value);
  return text.toString();
}

function addValue(text: BoundedText, field: PackedField, value: PayloadValue): void {
  if (Array.isArray(value)) {
    text.add('[');
    for (const [index, item] of value.entries()) {
      if (text.isFull) return;
      if (index > 0) text.add(', ');
      addValue(text, field, item);
    }
    text.add(']');
  } else if (isStruct(value)) {
    text.add('{');
    addFields(text, field.fields ?? [], value);
    text.add('}');
  } else text.add(singleText(field, value as Value));
}

function singleText(field: PackedField, value: Value): string {
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
