/**
 * Writes numbers and booleans into the scratch buffer: packed, little-endian except for ports, which are in network
 * order. A value that does not fit is counted, and the nearest one that fits is written.
 */
import { scratchView } from '../scratch.ts';
import {
  isBoolean,
  isInt8,
  isInt16,
  isInt32,
  isInt64Bigint,
  isNumber,
  isSafeInteger,
  isUint8,
  isUint16,
  isUint32,
  isUint64Bigint,
} from './checks.ts';
import { countBadValue, type ValueWriter } from './faults.ts';

/** The nearest integer from `low` to `high`; 0 for anything that is not a number. Counted as a bad value. */
function nearestInteger(value: unknown, low: number, high: number): number {
  countBadValue();
  const number = typeof value === 'number' || typeof value === 'bigint' ? Math.trunc(Number(value)) : 0;
  return Number.isNaN(number) ? 0 : Math.min(high, Math.max(low, number));
}

export const writeBool: ValueWriter = (offset, value) => {
  if (!isBoolean(value)) countBadValue();
  scratchView.setUint8(offset, value ? 1 : 0);
  return offset + 1;
};

export const writeInt8: ValueWriter = (offset, value) => {
  scratchView.setInt8(offset, isInt8(value) ? value : nearestInteger(value, -0x80, 0x7f));
  return offset + 1;
};

export const writeUint8: ValueWriter = (offset, value) => {
  scratchView.setUint8(offset, isUint8(value) ? value : nearestInteger(value, 0, 0xff));
  return offset + 1;
};

export const writeInt16: ValueWriter = (offset, value) => {
  scratchView.setInt16(offset, isInt16(value) ? value : nearestInteger(value, -0x8000, 0x7fff), true);
  return offset + 2;
};

export const writeUint16: ValueWriter = (offset, value) => {
  scratchView.setUint16(offset, isUint16(value) ? value : nearestInteger(value, 0, 0xffff), true);
  return offset + 2;
};

export const writeInt32: ValueWriter = (offset, value) => {
  scratchView.setInt32(offset, isInt32(value) ? value : nearestInteger(value, -0x80000000, 0x7fffffff), true);
  return offset + 4;
};

export const writeUint32: ValueWriter = (offset, value) => {
  scratchView.setUint32(offset, isUint32(value) ? value : nearestInteger(value, 0, 0xffffffff), true);
  return offset + 4;
};

export const TWO_TO_32 = 0x1_0000_0000;
export const MIN_INT_64 = -(2n ** 63n);
export const MAX_INT_64 = 2n ** 63n - 1n;

/** A safe integer as two halves: cheaper than a bigint, which Node 20 allocates. */
export function setSafeInteger(offset: number, value: number): void {
  scratchView.setInt32(offset, value | 0, true);
  scratchView.setInt32(offset + 4, Math.floor(value / TWO_TO_32), true);
}

export function nearestBigint(value: unknown, low: bigint, high: bigint): bigint {
  countBadValue();
  if (typeof value === 'number' && !Number.isFinite(value)) return value > 0 ? high : value < 0 ? low : 0n;
  const integer =
    typeof value === 'number' ? BigInt(Math.trunc(value)) : typeof value === 'bigint' ? value : 0n;
  return integer < low ? low : integer > high ? high : integer;
}

/** Accepts a bigint, or a number that is a safe integer. */
export const writeInt64: ValueWriter = (offset, value) => {
  if (isSafeInteger(value)) {
    setSafeInteger(offset, value);
  } else {
    scratchView.setBigInt64(
      offset,
      isInt64Bigint(value) ? value : nearestBigint(value, MIN_INT_64, MAX_INT_64),
      true,
    );
  }
  return offset + 8;
};

/** Accepts a bigint, or a number that is a safe integer. */
export const writeUint64: ValueWriter = (offset, value) => {
  if (isSafeInteger(value) && value >= 0) {
    setSafeInteger(offset, value);
  } else {
    scratchView.setBigUint64(
      offset,
      isUint64Bigint(value) ? value : nearestBigint(value, 0n, 2n ** 64n - 1n),
      true,
    );
  }
  return offset + 8;
};

export const writeFloat: ValueWriter = (offset, value) => {
  scratchView.setFloat32(offset, isNumber(value) ? value : badFloat(value), true);
  return offset + 4;
};

export const writeDouble: ValueWriter = (offset, value) => {
  scratchView.setFloat64(offset, isNumber(value) ? value : badFloat(value), true);
  return offset + 8;
};

function badFloat(value: unknown): number {
  countBadValue();
  return typeof value === 'bigint' ? Number(value) : Number.NaN;
}

/** A port number, 16 bits in network order. */
export const writePort: ValueWriter = (offset, value) => {
  scratchView.setUint16(offset, isUint16(value) ? value : nearestInteger(value, 0, 0xffff), false);
  return offset + 2;
};
