/**
 * Writes values of the field types whose layout is specific to manifest events: 32-bit booleans, NUL-terminated
 * strings, bytes after a 32-bit count. As in .NET's EventSource.
 */
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';
import { countBadValue, noRoom, type ValueWriter } from '../values/faults.ts';
import { jsonOf, LOOP_CHARACTERS, textOf, writeUtf16Units } from '../values/text.ts';

/** 32 bits, 1 or 0. */
export const writeBool32: ValueWriter = (offset, value) => {
  if (typeof value !== 'boolean') countBadValue();
  scratchView.setUint32(offset, value ? 1 : 0, true);
  return offset + 4;
};

/** NUL-terminated UTF-16. Text that contains a NUL ends there, and is counted as a bad value. */
export const writeUtf16: ValueWriter = (offset, value) => {
  const text = textOf(value);
  const { length } = text;
  const shortEnd = offset + 2 * length;
  if (length <= LOOP_CHARACTERS && shortEnd + 2 <= SCRATCH_LIMIT) {
    let at = offset;
    for (let index = 0; index < length; index++, at += 2) {
      const unit = text.charCodeAt(index);
      if (unit === 0) break;
      scratchView.setUint16(at, unit, true);
    }
    if (at === shortEnd) {
      scratchView.setUint16(at, 0, true);
      return at + 2;
    }
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) countBadValue();
  const end = writeUtf16Units(offset, nul < 0 ? text : text.slice(0, nul));
  if (end + 2 > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(end, 0, true);
  return end + 2;
};

/** The value's JSON as NUL-terminated UTF-16. */
export const writeJson: ValueWriter = (offset, value) => writeUtf16(offset, jsonOf(value));

/** Bytes after a u32 count of them. */
export const writeBinary: ValueWriter = (offset, value) => {
  const start = offset + 4;
  if (!(value instanceof Uint8Array)) {
    countBadValue();
    scratchView.setUint32(offset, 0, true);
    return start;
  }
  if (start + value.length > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint32(offset, value.length, true);
  scratch.set(value, start);
  return start + value.length;
};
