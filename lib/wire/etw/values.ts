/**
 * Writes values of the field types that Windows lays out in its own way, in TraceLogging and in manifest
 * events alike: GUIDs in struct order, times as FILETIME.
 */
import { scratchView } from '../scratch.ts';
import { writeGuid as writeGuidInTextOrder } from '../values/binary.ts';
import type { ValueWriter } from '../values/faults.ts';
import { MAX_INT_64, nearestBigint } from '../values/numbers.ts';

/** A GUID given as text, or as its 16 bytes in the order of the text, in struct order. */
export const writeGuid: ValueWriter = (offset, value) => {
  const end = writeGuidInTextOrder(offset, value);
  scratchView.setUint32(offset, scratchView.getUint32(offset, false), true);
  scratchView.setUint16(offset + 4, scratchView.getUint16(offset + 4, false), true);
  scratchView.setUint16(offset + 6, scratchView.getUint16(offset + 6, false), true);
  return end;
};

/** 1 January 1970 as a FILETIME: units of 100 ns since 1 January 1601. */
const UNIX_EPOCH = 116_444_736_000_000_000n;
const UNITS_PER_MILLISECOND = 10_000;

/**
 * A Date, or milliseconds since 1970 with any fraction, as a FILETIME: 64 bits, units of 100 ns since 1601.
 * The nearest to a time before 1601 is 1601.
 */
export const writeFileTime: ValueWriter = (offset, value) => {
  const milliseconds =
    value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Number.NaN;
  const fileTime = Number.isFinite(milliseconds) ? fileTimeOf(milliseconds) : milliseconds;
  const fits = typeof fileTime === 'bigint' && fileTime >= 0n && fileTime <= MAX_INT_64;
  scratchView.setBigInt64(offset, fits ? fileTime : nearestBigint(fileTime, 0n, MAX_INT_64), true);
  return offset + 8;
};

function fileTimeOf(milliseconds: number): bigint {
  // Apart, because together they have more digits than a number holds.
  const whole = Math.floor(milliseconds);
  const fraction = Math.round((milliseconds - whole) * UNITS_PER_MILLISECOND);
  return BigInt(whole) * BigInt(UNITS_PER_MILLISECOND) + BigInt(fraction) + UNIX_EPOCH;
}
