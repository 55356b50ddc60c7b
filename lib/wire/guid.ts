/**
 * GUIDs as the words of activity ids, and in struct order: the memory layout of a Windows GUID, used by ETW and
 * nettrace, where the first three groups of its text are little-endian numbers.
 */
import { uuidText, viewOf } from '../base/bytes.ts';

/** A GUID's 16 bytes in struct order, as four little-endian words. */
export interface GuidWords {
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

export const NO_GUID: GuidWords = { w0: 0, w1: 0, w2: 0, w3: 0 };

/** None and the empty one are the same. */
export function isSameGuid(first: GuidWords = NO_GUID, second: GuidWords = NO_GUID): boolean {
  return (
    first === second ||
    (first.w0 === second.w0 && first.w1 === second.w1 && first.w2 === second.w2 && first.w3 === second.w3)
  );
}

/** The text of a GUID: 32 hex digits grouped 8-4-4-4-12, in upper or lower case. */
const GUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isGuidText(text: string): boolean {
  return GUID_TEXT.test(text);
}

/** The position of each byte's digits in a GUID's text, in struct order. */
const DIGITS_AT = [6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** The 16 bytes in struct order of a GUID's text, for which `isGuidText` holds. */
export function guidBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(DIGITS_AT.length);
  for (let index = 0; index < DIGITS_AT.length; index++) {
    const at = DIGITS_AT[index] as number;
    bytes[index] = (digitOf(text.charCodeAt(at)) << 4) | digitOf(text.charCodeAt(at + 1));
  }
  return bytes;
}

/** The words of a GUID's text, for which `isGuidText` holds. */
export function guidWords(text: string): GuidWords {
  return guidWordsAt(viewOf(guidBytes(text)), 0);
}

/** The words of 16 bytes in struct order. */
export function guidWordsAt(view: DataView, offset: number): GuidWords {
  return {
    w0: view.getInt32(offset, true),
    w1: view.getInt32(offset + 4, true),
    w2: view.getInt32(offset + 8, true),
    w3: view.getInt32(offset + 12, true),
  };
}

/** Reads 0-9, A-F and a-f: the codes of the letters end in 1 to 6, and have the bit 0x40. */
function digitOf(code: number): number {
  return (code & 0xf) + (code >> 6) * 9;
}

/** Returns the lower-case text of 16 bytes in struct order, from `start` on. */
export function guidText(bytes: Uint8Array, start = 0): string {
  return uuidText(bytes, start, DIGITS_AT);
}
