/**
 * The fields of a self-describing event, inferred from its payload's values:
 *
 * | Value | Field type |
 * |---|---|
 * | boolean | bool |
 * | number | double, because the next event may have 0.5 where this one has 1 |
 * | bigint | int64, or uint64 if it does not fit |
 * | string | string |
 * | Date | time |
 * | Uint8Array, Buffer | binary |
 * | another typed array | an array of its numbers |
 * | an array of booleans, numbers, strings, bigints or Dates, all of one kind | an array of that type |
 * | a plain object | a struct of its fields |
 * | null and anything else | json |
 * | undefined, a function, a symbol | none |
 */
import { MAX_STRUCT_DEPTH, MAX_STRUCT_FIELDS, MAX_TOP_LEVEL_FIELDS } from '../wire/eventheader/constants.ts';
import type { FieldType } from '../wire/schema.ts';
import { SCRATCH_LIMIT } from '../wire/scratch.ts';
import { MAX_INT_64 } from '../wire/values/numbers.ts';
import type { FieldDefinitions } from './fields.ts';

/**
 * The definitions as JSON: the same text for the same fields, which is faster to create and to look up than the
 * definitions themselves. Throws what reading the payload throws.
 */
export function definitionsText(payload: object): string {
  // One more than an event may have, so that an excess is reported as such.
  return structText(payload, Object.keys(payload).slice(0, MAX_TOP_LEVEL_FIELDS + 1), 0);
}

export function parseDefinitions(text: string): FieldDefinitions {
  return JSON.parse(text) as FieldDefinitions;
}

function structText(value: object, names: readonly string[], depth: number): string {
  let text = '';
  for (const name of names) {
    const type = typeText((value as Readonly<Record<string, unknown>>)[name], depth);
    if (type !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${type}`;
  }
  return `{${text}}`;
}

function quoted(name: string): string {
  return /^[\w$.-]*$/.test(name) ? `"${name}"` : JSON.stringify(name);
}

function typeText(value: unknown, depth: number): string | undefined {
  const isStruct = typeof value === 'object' && value !== null && depth < MAX_STRUCT_DEPTH && isPlain(value);
  if (isStruct) {
    const names = Object.keys(value);
    const text = names.length > MAX_STRUCT_FIELDS ? NO_FIELDS : structText(value, names, depth + 1);
    return text === NO_FIELDS ? '"json"' : text;
  }
  const type = typeof value === 'object' && value !== null ? objectType(value) : simpleType(value);
  return type === undefined ? undefined : `"${type}"`;
}

const NO_FIELDS = '{}';

type SimpleType = 'bool' | 'double' | 'int64' | 'uint64' | 'string' | 'time' | 'json';

function simpleType(value: unknown): SimpleType | undefined {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'double';
    case 'bigint':
      return value > MAX_INT_64 ? 'uint64' : 'int64';
    case 'string':
      return 'string';
    case 'object':
      return value instanceof Date ? 'time' : 'json';
    default:
      return undefined;
  }
}

function objectType(value: object): FieldType | `${FieldType}[]` | undefined {
  if (value instanceof Uint8Array) return 'binary';
  if (ArrayBuffer.isView(value)) return typedArrayType(value);
  return Array.isArray(value) ? arrayType(value) : simpleType(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // From any realm: an object directly below Object.prototype has a prototype without one.
  return prototype === null || (typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null);
}

function arrayType(values: readonly unknown[]): FieldType | `${FieldType}[]` {
  // More than any event has room for: it is refused as too large before all of it is examined.
  if (values.length > SCRATCH_LIMIT) return 'bool[]';
  const [type, ...others] = new Set(values.map(simpleType));
  if (type === undefined || type === 'json') return 'json';
  if (others.length === 0) return `${type}[]`;
  // Includes bigints beyond int64.
  return others.length === 1 && new Set([type, ...others, 'int64', 'uint64']).size === 2
    ? 'uint64[]'
    : 'json';
}

function typedArrayType(view: ArrayBufferView): FieldType | `${FieldType}[]` {
  if (view instanceof Int8Array) return 'int8[]';
  if (view instanceof Uint8ClampedArray) return 'uint8[]';
  if (view instanceof Int16Array) return 'int16[]';
  if (view instanceof Uint16Array) return 'uint16[]';
  if (view instanceof Int32Array) return 'int32[]';
  if (view instanceof Uint32Array) return 'uint32[]';
  if (view instanceof Float32Array) return 'float[]';
  if (view instanceof Float64Array) return 'double[]';
  if (view instanceof BigInt64Array) return 'int64[]';
  if (view instanceof BigUint64Array) return 'uint64[]';
  return 'json';
}
