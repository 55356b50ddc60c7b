/** Fast UTF-16 in the middle of other bytes, at any alignment; lone surrogates are kept. */
import { bufferOf } from '../base/bytes.ts';

/** Up to this many bytes, assembling units here is faster than a call into Node (measured on Node 20). */
const SHORT_TEXT = 10;

export function utf16Text(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT_TEXT) return bufferOf(bytes).toString('utf16le', start, end);
  let text = '';
  for (let i = start; i + 1 < end; i += 2) {
    text += String.fromCharCode((bytes[i] as number) | ((bytes[i + 1] as number) << 8));
  }
  return text;
}
