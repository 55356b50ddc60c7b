/** Text in the structures of TDH. */
import { decodeUtf16 } from '../text.ts';

/** Real ones are shorter; longer ones would let a small structure with overlapping texts fill the memory. */
const MAX_UNITS = 4096;

/**
 * The UTF-16 text at an offset, up to its NUL, without the trailing spaces that the message compiler adds.
 *
 * @returns undefined if there is none, or it is empty
 */
export function readTdhText(view: DataView, offset: number): string | undefined {
  if (offset === 0) return undefined;
  const limit = Math.min(view.byteLength - 1, offset + 2 * MAX_UNITS);
  let end = offset;
  while (end < limit && view.getUint16(end, true) !== 0) end += 2;
  if (end <= offset) return undefined;
  const text = decodeUtf16(new DataView(view.buffer, view.byteOffset + offset, end - offset), true).trimEnd();
  return text === '' ? undefined : text;
}
