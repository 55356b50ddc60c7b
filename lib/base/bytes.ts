/**
 * Small byte helpers that every decoder needs: a DataView over the same memory, integers of any size, and bytes as hex
 * or GUID text.
 */

/** A DataView over exactly these bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The two lower-case hex digits of each byte value. */
const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Writes each byte as two lower-case hex digits, with `separator` between bytes. */
export function hexText(bytes: Uint8Array, separator = ''): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += (i === 0 ? '' : separator) + HEX_BYTES[bytes[i] as number];
  return text;
}

/** The value of a hex digit's character code, -1 for any other character. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The positions of 16 bytes' digits in a GUID's text, in memory order (RFC 4122). */
const UUID_DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const UUID_LENGTH = 36;
/** Reused, since every event can have such a text. */
const uuidCodes: number[] = new Array(UUID_LENGTH).fill('-'.charCodeAt(0));
const DIGIT_CODES = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/**
 * 16 bytes, from `start` on, as lower-case GUID text.
 *
 * @param digitsAt where the digits of each byte go
 */
export function uuidText(bytes: Uint8Array, start = 0, digitsAt: readonly number[] = UUID_DIGITS): string {
  for (let i = 0; i < digitsAt.length; i++) {
    const byte = bytes[start + i] as number;
    const at = digitsAt[i] as number;
    uuidCodes[at] = DIGIT_CODES[byte >> 4] as number;
    uuidCodes[at + 1] = DIGIT_CODES[byte & 0xf] as number;
  }
  return String.fromCharCode.apply(null, uuidCodes);
}

let lastBytes: Uint8Array = new Uint8Array(0);
let lastBuffer: Buffer = Buffer.from(lastBytes);

/** Returns a view of the same bytes as a Buffer; creating one takes longer than decoding a string of usual length. */
export function bufferOf(bytes: Uint8Array): Buffer {
  if (bytes !== lastBytes) {
    lastBytes = bytes;
    lastBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  return lastBuffer;
}

/** The position of the first 0 byte from `start` and before `end`, or -1. */
export function indexOfNul(bytes: Uint8Array, start: number, end: number): number {
  // Not `indexOf`, which would search all of the bytes, however many follow `end`.
  for (let at = start; at < end; at++) if (bytes[at] === 0) return at;
  return -1;
}

/** An unsigned integer of 1, 2, 4 or 8 bytes, from `at` on; for 8 bytes a bigint. */
export function readUnsigned(
  bytes: Uint8Array,
  littleEndian: boolean,
  at = 0,
  size: number = bytes.length,
): number | bigint {
  switch (size) {
    case 1:
      return bytes[at] as number;
    case 2:
      return uint16(bytes, littleEndian, at);
    case 4:
      return int32(bytes, littleEndian, at) >>> 0;
    default:
      return bigUint(
        int32(bytes, littleEndian, littleEndian ? at + 4 : at),
        int32(bytes, littleEndian, littleEndian ? at : at + 4),
      );
  }
}

/** Reads a signed integer (two's complement). */
export function readSigned(
  bytes: Uint8Array,
  littleEndian: boolean,
  at = 0,
  size: number = bytes.length,
): number | bigint {
  const unsigned = readUnsigned(bytes, littleEndian, at, size);
  if (typeof unsigned === 'bigint') return BigInt.asIntN(64, unsigned);
  const unused = 32 - 8 * size;
  return (unsigned << unused) >> unused;
}

// Without a view of the bytes: making one takes far longer than this.

function uint16(bytes: Uint8Array, littleEndian: boolean, at: number): number {
  const first = bytes[at] as number;
  const second = bytes[at + 1] as number;
  return littleEndian ? first | (second << 8) : (first << 8) | second;
}

function int32(bytes: Uint8Array, littleEndian: boolean, at: number): number {
  const first = uint16(bytes, littleEndian, at);
  const second = uint16(bytes, littleEndian, at + 2);
  return littleEndian ? first | (second << 16) : (first << 16) | second;
}

const TWO_TO_32 = 2 ** 32;
/** The upper half of 2^53, below which numbers are exact, and several times faster than bigints. */
const SAFE_HIGH = 2 ** 21;

/** The unsigned 64-bit integer with these halves. */
export function bigUint(high: number, low: number): bigint {
  const upper = high >>> 0;
  if (upper < SAFE_HIGH) return BigInt(upper * TWO_TO_32 + (low >>> 0));
  return (BigInt(upper) << 32n) | BigInt(low >>> 0);
}

/** The signed 64-bit integer with these halves. */
export function bigInt(high: number, low: number): bigint {
  const upper = high | 0;
  if (upper >= -SAFE_HIGH && upper < SAFE_HIGH) return BigInt(upper * TWO_TO_32 + (low >>> 0));
  return (BigInt(upper) << 32n) | BigInt(low >>> 0);
}
