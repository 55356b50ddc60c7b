/**
 * Writes one value of each field type into the scratch buffer, in EventHeader's layout: packed,
 * little-endian but for guid, port and ipAddress, which are in network order.
 *
 * Every writer takes the offset to write at and the value, and returns the offset behind it. None throws:
 * a value that does not fit its type is counted and the nearest one that does fit is written; a value that
 * does not fit the buffer is noted and left out. Whoever encodes an event asks `takeFaults` afterwards.
 */
import { parseIpAddress } from '../ip-address.ts';
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';

export type ValueWriter = (offset: number, value: unknown) => number;

/** The values of an event's or a struct's fields, by name. */
export type Payload = Readonly<Record<string, unknown>>;
export type FieldsWriter = (offset: number, payload: Payload) => number;

/** What went wrong since the last call; see `takeFaults`. */
let badValues = 0;
let tooLarge = false;

export interface Faults {
  /** Values that did not fit their fields. */
  readonly badValues: number;
  /** The event does not fit the scratch buffer, and is not whole. */
  readonly tooLarge: boolean;
}

/** What went wrong while values were written, and forgets it. */
export function takeFaults(): Faults | undefined {
  if (badValues === 0 && !tooLarge) return undefined;
  const faults = { badValues, tooLarge };
  badValues = 0;
  tooLarge = false;
  return faults;
}

/** Undoes `takeFaults`. */
export function putBackFaults(faults: Faults | undefined): void {
  badValues = faults?.badValues ?? 0;
  tooLarge = faults?.tooLarge ?? false;
}

/** The nearest integer from `low` to `high`; 0 for what is no number at all. Counted. */
function nearestInteger(value: unknown, low: number, high: number): number {
  badValues++;
  const number = typeof value === 'number' || typeof value === 'bigint' ? Math.trunc(Number(value)) : 0;
  return Number.isNaN(number) ? 0 : Math.min(high, Math.max(low, number));
}

export const writeBool: ValueWriter = (offset, value) => {
  if (typeof value !== 'boolean') badValues++;
  scratchView.setUint8(offset, value ? 1 : 0);
  return offset + 1;
};

export const writeInt8: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && (value << 24) >> 24 === value;
  scratchView.setInt8(offset, fits ? value : nearestInteger(value, -0x80, 0x7f));
  return offset + 1;
};

export const writeUint8: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && (value & 0xff) === value;
  scratchView.setUint8(offset, fits ? value : nearestInteger(value, 0, 0xff));
  return offset + 1;
};

export const writeInt16: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && (value << 16) >> 16 === value;
  scratchView.setInt16(offset, fits ? value : nearestInteger(value, -0x8000, 0x7fff), true);
  return offset + 2;
};

export const writeUint16: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && (value & 0xffff) === value;
  scratchView.setUint16(offset, fits ? value : nearestInteger(value, 0, 0xffff), true);
  return offset + 2;
};

export const writeInt32: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && (value | 0) === value;
  scratchView.setInt32(offset, fits ? value : nearestInteger(value, -0x80000000, 0x7fffffff), true);
  return offset + 4;
};

export const writeUint32: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && value >>> 0 === value;
  scratchView.setUint32(offset, fits ? value : nearestInteger(value, 0, 0xffffffff), true);
  return offset + 4;
};

const TWO_TO_32 = 0x1_0000_0000;
const MIN_INT_64 = -(2n ** 63n);
const MAX_INT_64 = 2n ** 63n - 1n;

/** A safe integer as two halves: cheaper than a bigint, which Node 20 allocates. */
function setSafeInteger(offset: number, value: number): void {
  scratchView.setInt32(offset, value | 0, true);
  scratchView.setInt32(offset + 4, Math.floor(value / TWO_TO_32), true);
}

function nearestBigint(value: unknown, low: bigint, high: bigint): bigint {
  badValues++;
  if (typeof value === 'number' && !Number.isFinite(value)) return value > 0 ? high : value < 0 ? low : 0n;
  const integer =
    typeof value === 'number' ? BigInt(Math.trunc(value)) : typeof value === 'bigint' ? value : 0n;
  return integer < low ? low : integer > high ? high : integer;
}

/** Takes a bigint, or a number that is a safe integer. */
export const writeInt64: ValueWriter = (offset, value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    setSafeInteger(offset, value);
  } else {
    const fits = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
    scratchView.setBigInt64(offset, fits ? value : nearestBigint(value, MIN_INT_64, MAX_INT_64), true);
  }
  return offset + 8;
};

/** Takes a bigint, or a number that is a safe integer. */
export const writeUint64: ValueWriter = (offset, value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    setSafeInteger(offset, value);
  } else {
    const fits = typeof value === 'bigint' && BigInt.asUintN(64, value) === value;
    scratchView.setBigUint64(offset, fits ? value : nearestBigint(value, 0n, 2n ** 64n - 1n), true);
  }
  return offset + 8;
};

export const writeFloat: ValueWriter = (offset, value) => {
  scratchView.setFloat32(offset, typeof value === 'number' ? value : badFloat(value), true);
  return offset + 4;
};

export const writeDouble: ValueWriter = (offset, value) => {
  scratchView.setFloat64(offset, typeof value === 'number' ? value : badFloat(value), true);
  return offset + 8;
};

function badFloat(value: unknown): number {
  badValues++;
  return typeof value === 'bigint' ? Number(value) : Number.NaN;
}

/**
 * Up to here a loop over the characters is faster than any call out of JavaScript, on every version of
 * Node (measured; see scripts/bench).
 */
const LOOP_CHARACTERS = 20;

function badText(value: unknown): string {
  badValues++;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? `${value}`
    : '';
}

/** UTF-8 after a u16 count of bytes. Lone surrogates become U+FFFD. */
export const writeString: ValueWriter = (offset, value) => {
  const text = typeof value === 'string' ? value : badText(value);
  const length = text.length;
  const start = offset + 2;
  if (length <= LOOP_CHARACTERS && start <= SCRATCH_LIMIT) {
    let index = 0;
    for (; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) break;
      scratch[start + index] = code;
    }
    if (index === length) {
      scratchView.setUint16(offset, length, true);
      return start + length;
    }
  }
  // Written first and counted after: to measure the text would be to encode it twice. A code unit is 3
  // bytes at the most, and the room behind the limit takes what of it is too much.
  if (start + length > SCRATCH_LIMIT) return noRoom(offset);
  const written = scratch.write(text, start);
  if (start + written > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, written, true);
  return start + written;
};

/** UTF-16 after a u16 count of code units. */
export const writeUtf16: ValueWriter = (offset, value) => {
  const text = typeof value === 'string' ? value : badText(value);
  const length = text.length;
  const start = offset + 2;
  if (start + 2 * length > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, length, true);
  if (length <= LOOP_CHARACTERS) {
    for (let index = 0; index < length; index++) {
      scratchView.setUint16(start + 2 * index, text.charCodeAt(index), true);
    }
  } else {
    scratch.write(text, start, 'utf16le');
  }
  return start + 2 * length;
};

/** Whatever JSON.stringify makes of the value, as UTF-8 after a u16 count of bytes. */
export const writeJson: ValueWriter = (offset, value) => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A cycle, a bigint, a toJSON that throws.
  }
  if (text === undefined) {
    badValues++;
    text = 'null';
  }
  return writeString(offset, text);
};

/** Bytes after a u16 count of them. */
export const writeBinary: ValueWriter = (offset, value) => {
  if (!(value instanceof Uint8Array)) {
    badValues++;
    scratchView.setUint16(offset, 0, true);
    return offset + 2;
  }
  const start = offset + 2;
  if (start + value.length > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, value.length, true);
  scratch.set(value, start);
  return start + value.length;
};

/** A GUID's text, or its 16 bytes in the order of the text. */
export const writeGuid: ValueWriter = (offset, value) => {
  if (typeof value === 'string' ? !writeGuidText(offset, value) : !isBytes(value, 16)) {
    badValues++;
    scratch.fill(0, offset, offset + 16);
  } else if (value instanceof Uint8Array) {
    scratch.set(value, offset);
  }
  return offset + 16;
};

function isBytes(value: unknown, length: number): value is Uint8Array {
  return value instanceof Uint8Array && value.length === length;
}

/** Where the hyphens of 8-4-4-4-12 stand. */
function isHyphenPlace(index: number): boolean {
  return index === 8 || index === 13 || index === 18 || index === 23;
}

function writeGuidText(offset: number, text: string): boolean {
  if (text.length !== 36) return false;
  let target = offset;
  for (let index = 0; index < 36; ) {
    if (isHyphenPlace(index)) {
      if (text.charCodeAt(index++) !== 0x2d) return false;
      continue;
    }
    const high = hexDigit(text.charCodeAt(index++));
    const low = hexDigit(text.charCodeAt(index++));
    if (high < 0 || low < 0) return false;
    scratch[target++] = (high << 4) | low;
  }
  return true;
}

/** The value of a hex digit's character code, -1 for any other character. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** A Date, or milliseconds since 1970; EventHeader's time is whole seconds since 1970, 64 bits. */
export const writeTime: ValueWriter = (offset, value) => {
  const milliseconds = value instanceof Date ? value.getTime() : value;
  const seconds = typeof milliseconds === 'number' ? Math.floor(milliseconds / 1000) : Number.NaN;
  if (Number.isSafeInteger(seconds)) setSafeInteger(offset, seconds);
  else scratchView.setBigInt64(offset, nearestBigint(seconds, MIN_INT_64, MAX_INT_64), true);
  return offset + 8;
};

/** The text of an IPv4 or IPv6 address, or its 4 or 16 bytes, after a u16 count of bytes. */
export const writeIpAddress: ValueWriter = (offset, value) => {
  const bytes = typeof value === 'string' ? parseIpAddress(value) : value;
  if (isBytes(bytes, 4) || isBytes(bytes, 16)) return writeBinary(offset, bytes);
  badValues++;
  scratchView.setUint16(offset, 0, true);
  return offset + 2;
};

/** A port number, 16 bits in network order. */
export const writePort: ValueWriter = (offset, value) => {
  const fits = typeof value === 'number' && (value & 0xffff) === value;
  scratchView.setUint16(offset, fits ? value : nearestInteger(value, 0, 0xffff), false);
  return offset + 2;
};

/** Any of the fixed-size writers, after a u16 length: 0 for null and undefined. */
export function nullable(size: number, write: ValueWriter): ValueWriter {
  return (offset, value) => {
    const absent = value === null || value === undefined;
    scratchView.setUint16(offset, absent ? 0 : size, true);
    return absent ? offset + 2 : write(offset + 2, value);
  };
}

/** A writer of counted values, which has its own null: no bytes. */
export function nullableCounted(write: ValueWriter): ValueWriter {
  return (offset, value) => {
    if (value !== null && value !== undefined) return write(offset, value);
    scratchView.setUint16(offset, 0, true);
    return offset + 2;
  };
}

/** The elements one after the other, after a u16 count of them. Takes any array or typed array. */
export function array(write: ValueWriter): ValueWriter {
  return (offset, value) => {
    if (!isArrayLike(value)) {
      badValues++;
      scratchView.setUint16(offset, 0, true);
      return offset + 2;
    }
    const count = value.length;
    let end = offset + 2;
    for (let index = 0; index < count; index++) {
      end = write(end, value[index]);
      if (end > SCRATCH_LIMIT) return noRoom(offset);
    }
    scratchView.setUint16(offset, count, true);
    return end;
  };
}

/** What an array field takes. */
export function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function noRoom(offset: number): number {
  tooLarge = true;
  return offset;
}

/** A struct: its fields one after the other. What is no object counts as one without any of them. */
export function struct(writeFields: FieldsWriter): ValueWriter {
  return (offset, value) => {
    if (typeof value === 'object' && value !== null) return writeFields(offset, value as Payload);
    badValues++;
    return writeFields(offset, NO_FIELDS);
  };
}
const NO_FIELDS: Payload = {};
