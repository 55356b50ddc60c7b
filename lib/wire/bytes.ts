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

/** Lower-case hex digits, two for each byte, with `separator` between bytes. */
export function hexText(bytes: Uint8Array, separator = ''): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += (i === 0 ? '' : separator) + HEX_BYTES[bytes[i] as number];
  return text;
}

/** 16 bytes as lower-case GUID text, in the order of memory (RFC 4122). */
export function uuidText(bytes: Uint8Array): string {
  const hex = hexText(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The position of the first 0 byte from `start` and before `end`, or -1. */
export function indexOfNul(bytes: Uint8Array, start: number, end: number): number {
  const index = bytes.indexOf(0, start);
  return index < end ? index : -1;
}

/** An unsigned integer of 1, 2, 4 or 8 bytes; for 8 bytes a bigint. */
export function readUnsigned(bytes: Uint8Array, littleEndian: boolean): number | bigint {
  const view = viewOf(bytes);
  switch (bytes.length) {
    case 1:
      return view.getUint8(0);
    case 2:
      return view.getUint16(0, littleEndian);
    case 4:
      return view.getUint32(0, littleEndian);
    default:
      return view.getBigUint64(0, littleEndian);
  }
}

/** A signed integer (two's complement) of 1, 2, 4 or 8 bytes; for 8 bytes a bigint. */
export function readSigned(bytes: Uint8Array, littleEndian: boolean): number | bigint {
  const view = viewOf(bytes);
  switch (bytes.length) {
    case 1:
      return view.getInt8(0);
    case 2:
      return view.getInt16(0, littleEndian);
    case 4:
      return view.getInt32(0, littleEndian);
    default:
      return view.getBigInt64(0, littleEndian);
  }
}
