/**
 * Writes values of the field types whose layout is EventHeader's own: counted strings count code units,
 * GUIDs are in the order of their text, times are whole seconds.
 */
import { SCRATCH_LIMIT, scratchView } from '../scratch.ts';
import { addressOf, writeBinary, writeEmpty } from '../values/binary.ts';
import { noRoom, type ValueWriter } from '../values/faults.ts';
import { MAX_INT_64, MIN_INT_64, nearestBigint, setSafeInteger } from '../values/numbers.ts';
import { textOf, writeUtf16Units } from '../values/text.ts';

/** UTF-16 after a u16 count of code units. */
export const writeUtf16: ValueWriter = (offset, value) => {
  const text = textOf(value);
  const end = writeUtf16Units(offset + 2, text);
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, text.length, true);
  return end;
};

/** A Date, or milliseconds since 1970, as whole seconds since 1970, 64 bits. */
export const writeTime: ValueWriter = (offset, value) => {
  const milliseconds = value instanceof Date ? value.getTime() : value;
  const seconds = typeof milliseconds === 'number' ? Math.floor(milliseconds / 1000) : Number.NaN;
  if (Number.isSafeInteger(seconds)) setSafeInteger(offset, seconds);
  else scratchView.setBigInt64(offset, nearestBigint(seconds, MIN_INT_64, MAX_INT_64), true);
  return offset + 8;
};

/** The 4 or 16 bytes of an IP address after a u16 count of them. */
export const writeIpAddress: ValueWriter = (offset, value) => {
  const address = addressOf(value);
  return address === undefined ? writeEmpty(offset) : writeBinary(offset, address);
};
