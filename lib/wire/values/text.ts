/** Writes text into the scratch buffer. */
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';
import { jsonText } from './checks.ts';
import { countBadValue, noRoom, type ValueWriter } from './faults.ts';

/**
 * Up to this length, a loop over the characters is faster than any call out of JavaScript, on every version of Node
 * (measured; see scripts/bench).
 */
export const LOOP_CHARACTERS = 20;

/** The value if it is a string; otherwise the text of a simple value, counted as a bad value. */
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
  // Written first and counted afterwards: measuring the text would mean encoding it twice. A code unit takes at most 3
  // bytes, and the room beyond the limit absorbs any excess.
  if (start + length > SCRATCH_LIMIT) return noRoom(offset);
  const written = scratch.write(text, start);
  if (start + written > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, written, true);
  return start + written;
};

/**
 * UTF-16 code units, low byte first. Returns the offset after them; if that is beyond SCRATCH_LIMIT, nothing has been
 * written.
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

/** The value's JSON; if it has none, `null`, counted as a bad value. */
export function jsonOf(value: unknown): string {
  const text = jsonText(value);
  if (text !== undefined) return text;
  countBadValue();
  return 'null';
}

/** The value's JSON as UTF-8 after a u16 count of bytes. */
export const writeJson: ValueWriter = (offset, value) => writeString(offset, jsonOf(value));
