/**
 * The values of a tracepoint's declared fields, from a sample's raw data. For EventHeader events these are only the
 * eight bytes of the header; `wire/eventheader` reads their own fields.
 */
import { readSigned, readUnsigned, viewOf } from '../../base/bytes.ts';
import { decodeUtf8 } from '../text.ts';
import type { TracepointField } from './tracepoint-format.ts';

/**
 * Integers up to 32 bits are numbers, 64-bit integers bigints; char arrays strings up to their NUL; integer arrays
 * arrays; anything of another size is its bytes. `undefined` if the raw data ends before the field.
 */
export type TracepointValue =
  | number
  | bigint
  | string
  | Uint8Array
  | readonly (number | bigint)[]
  | undefined;

/** The size of an array's elements, by the word for it in the declared type. */
const ELEMENT_SIZES: readonly (readonly [pattern: RegExp, size: number])[] = [
  [/\b(?:__)?[us]8\b|\bu?int8_t\b|\bbool\b|\bchar\b/, 1],
  [/\b(?:__)?[us]16\b|\bu?int16_t\b|\bshort\b/, 2],
  [/\b(?:__)?[us]64\b|\bu?int64_t\b|\blong long\b|\blong\b|\*/, 8],
  [/\b(?:__)?[us]32\b|\bu?int32_t\b|\bint\b/, 4],
];

const INTEGER_SIZES: readonly number[] = [1, 2, 4, 8];

/** @param raw the sample's raw data, from the common fields on */
export function readTracepointValue(
  field: TracepointField,
  raw: Uint8Array,
  littleEndian: boolean,
): TracepointValue {
  const bytes = bytesOf(field, raw, littleEndian);
  if (bytes === undefined) return undefined;
  if (!field.isArray)
    return INTEGER_SIZES.includes(bytes.length) ? readInteger(field, bytes, littleEndian) : bytes;
  if (/\bchar\b/.test(field.type) && !/\bunsigned\b/.test(field.type)) return textOf(bytes);
  const size = ELEMENT_SIZES.find(([pattern]) => pattern.test(field.type))?.[1];
  if (size === undefined || size === 1 || bytes.length % size !== 0) return bytes;
  return Array.from({ length: bytes.length / size }, (_, i) =>
    readInteger(field, bytes.subarray(i * size, (i + 1) * size), littleEndian),
  );
}

function readInteger(field: TracepointField, bytes: Uint8Array, littleEndian: boolean): number | bigint {
  return field.signed ? readSigned(bytes, littleEndian) : readUnsigned(bytes, littleEndian);
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decodeUtf8(end < 0 ? bytes : bytes.subarray(0, end));
}

function bytesOf(field: TracepointField, raw: Uint8Array, littleEndian: boolean): Uint8Array | undefined {
  const end = field.size === 0 ? raw.length : field.offset + field.size;
  if (end < field.offset || end > raw.length) return undefined;
  if (field.location === undefined) return raw.subarray(field.offset, end);
  if (field.size !== 4) return undefined;
  const location = viewOf(raw).getUint32(field.offset, littleEndian);
  const start = (location & 0xffff) + (field.location === 'relative' ? end : 0);
  const size = location >>> 16;
  return start + size > raw.length ? undefined : raw.subarray(start, start + size);
}
