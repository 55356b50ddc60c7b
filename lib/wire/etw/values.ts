/**
 * Writes values of the field types that have a Windows-specific layout in both TraceLogging and manifest events: GUIDs
 * in struct order, times as FILETIME.
 */
import { scratchView } from '../scratch.ts';
import { writeGuid as writeGuidInTextOrder } from '../values/binary.ts';
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

/**
 * A Date, or milliseconds since 1970 with any fraction, as a FILETIME: 64 bits, units of 100 ns since 1601. Times
 * before 1601 become 1601.
 */
export const writeFileTime: ValueWriter = (offset, value) => {
  const milliseconds =
    value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Number.NaN;
  const whole = Math.floor(milliseconds);
  const fraction = Math.round((milliseconds - whole) * UNITS_PER_MILLISECOND);
  // In halves, because the whole has more digits than a number can hold, and a bigint costs 50 ns.
  const wholeHigh = Math.floor(whole / TWO_TO_32);
  const wholeLow = whole - wholeHigh * TWO_TO_32;
  const low = wholeLow * UNITS_PER_MILLISECOND + fraction + UNIX_EPOCH_LOW;
  const high = wholeHigh * UNITS_PER_MILLISECOND + UNIX_EPOCH_HIGH + Math.floor(low / TWO_TO_32);
  if (high >= 0 && high <= MAX_HIGH) {
    scratchView.setInt32(offset, low | 0, true);
    scratchView.setInt32(offset + 4, high, true);
  } else {
    countBadValue();
    scratchView.setBigInt64(offset, milliseconds > 0 ? MAX_INT_64 : 0n, true);
  }
  return offset + 8;
};
