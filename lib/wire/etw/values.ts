/**
 * Writes values of the field types that have a Windows-specific layout in both TraceLogging and manifest events: GUIDs
 * in struct order, times as FILETIME.
 */
import { scratchView } from '../scratch.ts';
import { writeGuid as writeGuidInTextOrder } from '../values/binary.ts';
import { CHECKS } from '../values/checks.ts';
import { countBadValue, type ValueWriter } from '../values/faults.ts';
import { MAX_INT_64, TWO_TO_32 } from '../values/numbers.ts';

/** A GUID, given as text or as 16 bytes in the order of the text, in struct order. */
export const writeGuid: ValueWriter = (offset, value) => {
  const end = writeGuidInTextOrder(offset, value);
  scratchView.setUint32(offset, scratchView.getUint32(offset, false), true);
  scratchView.setUint16(offset + 4, scratchView.getUint16(offset + 4, false), true);
  scratchView.setUint16(offset + 6, scratchView.getUint16(offset + 6, false), true);
  return end;
};

/** 1 January 1970 as a FILETIME, units of 100 ns since 1 January 1601: 116444736000000000 in two halves. */
const UNIX_EPOCH_HIGH = 0x019db1de;
const UNIX_EPOCH_LOW = 0xd53e8000;
const UNITS_PER_MILLISECOND = 10_000;
/** The high half of the last FILETIME: they are signed, but never negative. */
const MAX_HIGH = 0x7fffffff;

/** A FILETIME in halves, because the whole has more digits than a number can hold, and a bigint costs 50 ns. */
let low = 0;
let high = 0;

/** Sets `high` and `low` from a Date, or from milliseconds since 1970 with any fraction; false if it has no FILETIME. */
function setFileTime(value: unknown): boolean {
  const milliseconds = millisecondsOf(value);
  const whole = Math.floor(milliseconds);
  const fraction = Math.round((milliseconds - whole) * UNITS_PER_MILLISECOND);
  const wholeHigh = Math.floor(whole / TWO_TO_32);
  const wholeLow = whole - wholeHigh * TWO_TO_32;
  low = wholeLow * UNITS_PER_MILLISECOND + fraction + UNIX_EPOCH_LOW;
  high = wholeHigh * UNITS_PER_MILLISECOND + UNIX_EPOCH_HIGH + Math.floor(low / TWO_TO_32);
  return high >= 0 && high <= MAX_HIGH;
}

function millisecondsOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' ? value : Number.NaN;
}

/**
 * A Date, or milliseconds since 1970 with any fraction, as a FILETIME: 64 bits, units of 100 ns since 1601. Times
 * before 1601 become 1601.
 */
export const writeFileTime: ValueWriter = (offset, value) => {
  if (setFileTime(value)) {
    scratchView.setInt32(offset, low | 0, true);
    scratchView.setInt32(offset + 4, high, true);
  } else {
    countBadValue();
    scratchView.setBigInt64(offset, millisecondsOf(value) > 0 ? MAX_INT_64 : 0n, true);
  }
  return offset + 8;
};

/** The checks fit the types as TraceLogging lays them out. */
export const ETW_CHECKS: typeof CHECKS = { ...CHECKS, time: setFileTime };
