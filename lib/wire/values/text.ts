/**
 * Writes text into the scratch buffer.
 */
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';
import { countBadValue, noRoom, type ValueWriter } from './faults.ts';

/**
 * Up to here a loop over the characters is faster than any call out of JavaScript, on every version of
 * Node (measured; see scripts/bench).
 */
const LOOP_CHARACTERS = 20;

/** The value, if it is text; else what simple values are as text, counted. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : badText(value);
}

function badText(value: unknown): string {
  countBadValue();
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? `${value}`
    : '';
}

/** UTF-8 after a u16 count of bytes. Lone surrogates become U+FFFD. */
export const writeString: ValueWriter = (offset, value) => {
  const text = textOf(value);
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

/**
 * UTF-16 code units, low byte first. Returns the offset behind them; where that is past SCRATCH_LIMIT,
 * nothing has been written.
 */
export function writeUtf16Units(offset: number, text: string): number {
  const length = text.length;
  const end = offset + 2 * length;
  if (end > SCRATCH_LIMIT) return end;
  if (length <= LOOP_CHARACTERS) {
    for (let index = 0; index < length; index++) {
      scratchView.setUint16(offset + 2 * index, text.charCodeAt(index), true);
    }
  } else {
    scratch.write(text, offset, 'utf16le');
  }
  return end;
}

/** Whatever JSON.stringify makes of the value; `null`, counted, where it makes nothing of it. */
export function jsonOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A cycle, a bigint, a toJSON that throws.
  }
  if (text !== undefined) return text;
  countBadValue();
  return 'null';
}

/** The value's JSON as UTF-8 after a u16 count of bytes. */
export const writeJson: ValueWriter = (offset, value) => writeString(offset, jsonOf(value));
