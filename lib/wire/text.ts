/**
 * Text in traces, of any width and in any condition: decoding never fails and never loses what can be kept. Like
 * Microsoft's C++ decoder (LinuxTracepoints, EventFormatter), it reads a byte that is not UTF-8 as Latin-1 and keeps
 * lone surrogates. One difference: that decoder writes code points above U+10FFFF in an obsolete form of UTF-8;
 * JavaScript strings cannot hold them, so they become U+FFFD.
 */
import { bufferOf } from '../base/bytes.ts';

const MAX_CODE_POINT = 0x10ffff;
const REPLACEMENT_CHARACTER = '\ufffd';

/** Strings are built in chunks of this many units, a safe number of arguments for one call. */
const CHUNK_UNITS = 4096;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Up to this many bytes, appending characters is faster than a call into Node (measured on Node 20). */
const SHORT_TEXT = 10;

/**
 * A text file of Windows, which is in UTF-16 as often as in UTF-8, and does not always begin with a byte order mark.
 */
export function decodeTextFile(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes);
}

/** UTF-8, from `start` on; invalid bytes are read as Latin-1 characters. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  let ascii = start;
  while (ascii < end && (bytes[ascii] as number) < 0x80) ascii++;
  if (ascii < end) {
    const part = bytes.subarray(start, end);
    try {
      return strictUtf8.decode(part);
    } catch {
      return decodeDamagedUtf8(part);
    }
  }
  if (end - start > SHORT_TEXT) return bufferOf(bytes).toString('latin1', start, end);
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i] as number);
  return text;
}

function decodeDamagedUtf8(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i] as number;
    const length = sequenceLength(lead);
    const codePoint = length > 1 ? readSequence(bytes, i, length) : lead;
    text += String.fromCodePoint(codePoint ?? lead);
    i += codePoint === undefined ? 1 : length;
  }
  return text;
}

function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead <= 0xf4 ? 4 : 1;
}

/** The lowest valid code point for a sequence of this many bytes. */
const LOWEST_BY_LENGTH = [0, 0, 0x80, 0x800, 0x10000];

/** The code point of a sequence, surrogates included, or `undefined` if it is not one. */
function readSequence(bytes: Uint8Array, start: number, length: number): number | undefined {
  if (start + length > bytes.length) return undefined;
  let codePoint = (bytes[start] as number) & (0x7f >> length);
  for (let i = start + 1; i < start + length; i++) {
    const byte = bytes[i] as number;
    if ((byte & 0xc0) !== 0x80) return undefined;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  if (codePoint < (LOWEST_BY_LENGTH[length] as number) || codePoint > MAX_CODE_POINT) return undefined;
  return codePoint;
}

/** Each byte is the code point of a character. */
export function decodeLatin1(bytes: Uint8Array): string {
  return decodeUnits(bytes.length, (i) => bytes[i] as number);
}

/** UTF-16; an odd byte at the end is ignored. */
export function decodeUtf16(view: DataView, littleEndian: boolean): string {
  return decodeUnits(view.byteLength >>> 1, (i) => view.getUint16(i * 2, littleEndian));
}

function decodeUnits(count: number, unitAt: (index: number) => number): string {
  let text = '';
  for (let start = 0; start < count; start += CHUNK_UNITS) {
    const units: number[] = [];
    for (let i = start; i < Math.min(count, start + CHUNK_UNITS); i++) units.push(unitAt(i));
    text += String.fromCharCode(...units);
  }
  return text;
}

/** UTF-32; trailing bytes that do not fill a unit are ignored. */
export function decodeUtf32(view: DataView, littleEndian: boolean): string {
  let text = '';
  for (let offset = 0; offset + 4 <= view.byteLength; offset += 4) {
    text += characterOf(view.getUint32(offset, littleEndian));
  }
  return text;
}

/** The character of a code point, surrogates included. */
export function characterOf(codePoint: number): string {
  return codePoint > MAX_CODE_POINT ? REPLACEMENT_CHARACTER : String.fromCodePoint(codePoint);
}

/** Text that starts with a byte order mark, without the mark; otherwise `undefined`. */
export function decodeMarkedText(view: DataView): string | undefined {
  const size = view.byteLength;
  const after = (mark: number) => new DataView(view.buffer, view.byteOffset + mark, size - mark);
  if (size >= 4) {
    if (view.getUint32(0, true) === 0xfeff) return decodeUtf32(after(4), true);
    if (view.getUint32(0, false) === 0xfeff) return decodeUtf32(after(4), false);
  }
  if (size >= 2) {
    if (view.getUint16(0, true) === 0xfeff) return decodeUtf16(after(2), true);
    if (view.getUint16(0, false) === 0xfeff) return decodeUtf16(after(2), false);
  }
  if (size >= 3 && view.getUint16(0, false) === 0xefbb && view.getUint8(2) === 0xbf) {
    return decodeUtf8(new Uint8Array(view.buffer, view.byteOffset + 3, size - 3));
  }
  return undefined;
}
