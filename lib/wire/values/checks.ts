/** Tests whether values fit their fields: for events that are not encoded, and for the writers. */
import { isGuidText } from '../guid.ts';
import { addressInto, MOST_ADDRESS_BYTES } from '../ip-address.ts';
import type { FieldSchema, FieldType } from '../schema.ts';

export type Check = (value: unknown) => boolean;

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isText = (value: unknown): value is string => typeof value === 'string';

export const isInt8 = (value: unknown): value is number =>
  typeof value === 'number' && (value << 24) >> 24 === value;
export const isInt16 = (value: unknown): value is number =>
  typeof value === 'number' && (value << 16) >> 16 === value;
export const isInt32 = (value: unknown): value is number =>
  typeof value === 'number' && (value | 0) === value;
export const isUint8 = (value: unknown): value is number =>
  typeof value === 'number' && (value & 0xff) === value;
export const isUint16 = (value: unknown): value is number =>
  typeof value === 'number' && (value & 0xffff) === value;
export const isUint32 = (value: unknown): value is number =>
  typeof value === 'number' && value >>> 0 === value;

// 64 bits: a number that is a safe integer, or a bigint.
export const isSafeInteger = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value);
export const isInt64Bigint = (value: unknown): value is bigint =>
  typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
export const isUint64Bigint = (value: unknown): value is bigint =>
  typeof value === 'bigint' && BigInt.asUintN(64, value) === value;
const isInt64: Check = (value) => isSafeInteger(value) || isInt64Bigint(value);
const isUint64: Check = (value) => (isSafeInteger(value) ? value >= 0 : isUint64Bigint(value));

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

const GUID_BYTES = 16;
const isGuid: Check = (value) =>
  typeof value === 'string' ? isGuidText(value) : isBytes(value) && value.length === GUID_BYTES;

const address = new Uint8Array(MOST_ADDRESS_BYTES);
const isAddress: Check = (value) => addressInto(value, address, 0) > 0;

/** Seconds since 1970 of a Date, or of milliseconds since then; NaN for anything else. */
export function secondsOf(value: unknown): number {
  const milliseconds = value instanceof Date ? value.getTime() : value;
  return typeof milliseconds === 'number' ? Math.floor(milliseconds / 1000) : Number.NaN;
}
const isTime: Check = (value) => Number.isSafeInteger(secondsOf(value));

/** The result of JSON.stringify; undefined if there is none. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, a bigint, a toJSON that throws.
    return undefined;
  }
}
const isJson: Check = (value) => value === null || isText(value) || jsonText(value) !== undefined;

/** The values that an array field accepts. */
export function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

const FLOATS: Check = (value) => !(value instanceof BigInt64Array || value instanceof BigUint64Array);
const INT32: Check = (value) => value instanceof Int32Array;
const UINT8: Check = (value) => value instanceof Uint8Array;
const UINT16: Check = (value) => value instanceof Uint16Array;
const UINT32: Check = (value) => value instanceof Uint32Array;
const UINT64: Check = (value) => value instanceof BigUint64Array;

/** Typed arrays whose elements always fit. */
const FITTING: Readonly<Partial<Record<FieldSchema['type'], Check>>> = {
  int8: (value) => value instanceof Int8Array,
  int16: (value) => value instanceof Int16Array,
  int32: INT32,
  int64: (value) => value instanceof BigInt64Array,
  uint8: UINT8,
  uint16: UINT16,
  uint32: UINT32,
  uint64: UINT64,
  hex8: UINT8,
  hex16: UINT16,
  hex32: UINT32,
  hex64: UINT64,
  float: FLOATS,
  double: FLOATS,
  port: UINT16,
  errno: INT32,
  pid: UINT32,
};

/** Whether all elements of an array fit, if its type tells. */
export function fitsAsWhole(type: FieldSchema['type'], array: ArrayLike<unknown>): boolean {
  return ArrayBuffer.isView(array) && (FITTING[type]?.(array) ?? false);
}

export type Checks = Readonly<Partial<Record<FieldType, Check>>>;

/** The checks fit the types as EventHeader lays them out; in other formats, some accept fewer values. */
export const CHECKS: Readonly<Record<FieldType, Check>> = {
  bool: isBoolean,
  int8: isInt8,
  int16: isInt16,
  int32: isInt32,
  int64: isInt64,
  uint8: isUint8,
  uint16: isUint16,
  uint32: isUint32,
  uint64: isUint64,
  hex8: isUint8,
  hex16: isUint16,
  hex32: isUint32,
  hex64: isUint64,
  float: isNumber,
  double: isNumber,
  string: isText,
  utf16: isText,
  json: isJson,
  binary: isBytes,
  guid: isGuid,
  time: isTime,
  ipAddress: isAddress,
  port: isUint16,
  errno: isInt32,
  pid: isUint32,
};
