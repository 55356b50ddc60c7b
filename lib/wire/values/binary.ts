/** Writes binary values into the scratch buffer: binary data, GUIDs, IP addresses. */
import { hexDigit } from '../../base/bytes.ts';
import { addressInto } from '../ip-address.ts';
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';
import { countBadValue, noRoom, type ValueWriter } from './faults.ts';

/** Bytes after a u16 count of them. */
export const writeBinary: ValueWriter = (offset, value) => {
  if (!(value instanceof Uint8Array)) {
    countBadValue();
    return writeEmpty(offset);
  }
  const start = offset + 2;
  if (start + value.length > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, value.length, true);
  scratch.set(value, start);
  return start + value.length;
};

/** A GUID, given as text or as 16 bytes in the order of the text, in that order (RFC 9562). */
export const writeGuid: ValueWriter = (offset, value) => {
  if (typeof value === 'string' ? !writeGuidText(offset, value) : !isBytes(value, 16)) {
    countBadValue();
    scratch.fill(0, offset, offset + 16);
  } else if (value instanceof Uint8Array) {
    scratch.set(value, offset);
  }
  return offset + 16;
};

function isBytes(value: unknown, length: number): value is Uint8Array {
  return value instanceof Uint8Array && value.length === length;
}

/** The positions of the hyphens in 8-4-4-4-12. */
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

/**
 * Writes an IP address, given as text or as its bytes, in network order. Returns the number of bytes, 4 or 16; otherwise
 * 0, counted as a bad value. The caller checks the limit: there is room behind it.
 */
export function writeAddress(offset: number, value: unknown): number {
  const size = addressInto(value, scratch, offset);
  if (size === 0) countBadValue();
  return size;
}

/** A value without bytes or elements: a u16 count of 0. */
export function writeEmpty(offset: number): number {
  scratchView.setUint16(offset, 0, true);
  return offset + 2;
}
