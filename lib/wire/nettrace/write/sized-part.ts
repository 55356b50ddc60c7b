/** Parts preceded by their size in two bytes, which are common in version 6. */
import type { NetTraceBytes } from './byte-writer.ts';

const SIZE_SIZE = 2;
const MAX_SIZE = 0xffff;

/**
 * @param write writes the part; returns false if it cannot
 * @returns false if that fails or the part is too large: then nothing is written
 */
export function writeSized16(bytes: NetTraceBytes, write: () => boolean): boolean {
  const sizeAt = bytes.length;
  bytes.uint16(0);
  const isWritten = write();
  const size = bytes.length - sizeAt - SIZE_SIZE;
  if (!isWritten || size > MAX_SIZE) {
    bytes.cut(sizeAt);
    return false;
  }
  bytes.setUint16(sizeAt, size);
  return true;
}
