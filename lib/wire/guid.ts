/**
 * GUIDs as the words that activity ids are made of, and in struct order: as a Windows GUID stands in memory,
 * in ETW and in nettrace, where the first three groups of its text are little-endian numbers.
 */
import { uuidText } from './bytes.ts';

/** A GUID's 16 bytes in struct order, as four little-endian words. */
export interface GuidWords {
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

/** A GUID that a test of its text has let through: 32 hex digits grouped 8-4-4-4-12, in either case. */
const GUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isGuidText(text: string): boolean {
  return GUID_TEXT.test(text);
}

/** The 16 bytes in struct order of a GUID's text, for which `isGuidText` holds. */
export function guidBytes(text: string): Uint8Array {
  return swapped(Uint8Array.from(Buffer.from(text.replaceAll('-', ''), 'hex')));
}

/** Lower-case text of 16 bytes in struct order. */
export function guidText(bytes: Uint8Array): string {
  return uuidText(swapped(bytes));
}

/** From struct order to the order of the text, or back. */
function swapped(bytes: Uint8Array): Uint8Array {
  const result = Uint8Array.from(bytes);
  result.subarray(0, 4).reverse();
  result.subarray(4, 6).reverse();
  result.subarray(6, 8).reverse();
  return result;
}
