/**
 * Assembles the bytes of a nettrace in growing, reusable memory.
 *
 * Any call may overflow the stack, run out of memory or be terminated, and then no cleanup code can run. So bytes count
 * only up to `kept`, which is set by an assignment after the last call: bytes beyond it are discarded later.
 */
import { viewOf } from '../../bytes.ts';
import type { GuidWords } from '../../guid.ts';

const FIRST_SIZE = 1024;
/** The maximum size of a variable-length 64-bit integer. */
export const MAX_VARINT_SIZE = 10;
/** 2 to the 28th: four bytes of a variable-length integer. */
const FOUR_GROUPS = 0x1000_0000;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
export const GUID_SIZE = 16;

/**
 * Writes a variable-length integer where there is room for `MAX_VARINT_SIZE` bytes.
 *
 * @param value not negative, up to 2^53
 * @returns the offset behind it
 */
export function putVarUint(buffer: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let left = value;
  // The 32-bit operators cannot handle more.
  for (; left >= FOUR_GROUPS; left = Math.floor(left / 128)) buffer[at++] = (left % 128) | 0x80;
  for (; left >= 0x80; left >>>= 7) buffer[at++] = (left & 0x7f) | 0x80;
  buffer[at++] = left;
  return at;
}

/** The same of 64 bits without sign. */
export function putVarUint64(buffer: Uint8Array, offset: number, value: bigint): number {
  let at = offset;
  let left = BigInt.asUintN(64, value);
  for (; left > MAX_SAFE; left >>= 7n) buffer[at++] = Number(left & 0x7fn) | 0x80;
  return putVarUint(buffer, at, Number(left));
}

/** A GUID in struct order. */
export function putGuid(view: DataView, offset: number, { w0, w1, w2, w3 }: GuidWords): number {
  view.setInt32(offset, w0, true);
  view.setInt32(offset + 4, w1, true);
  view.setInt32(offset + 8, w2, true);
  view.setInt32(offset + 12, w3, true);
  return offset + GUID_SIZE;
}

export class NetTraceBytes {
  length = 0;
  /** Up to here, the contents are complete. */
  kept = 0;
  /** The memory, until it grows; and the same as a view. */
  buffer: Buffer;
  view: DataView;

  /** @param size bytes that there is room for from the start */
  constructor(size = FIRST_SIZE) {
    this.buffer = Buffer.allocUnsafeSlow(size);
    this.view = viewOf(this.buffer);
  }

  uint8(value: number): void {
    const at = this.grow(1);
    this.buffer[at] = value;
  }

  uint16(value: number): void {
    const at = this.grow(2);
    this.view.setUint16(at, value, true);
  }

  uint32(value: number): void {
    const at = this.grow(4);
    this.view.setUint32(at, value, true);
  }

  /** Signed or unsigned. */
  uint64(value: bigint): void {
    const at = this.grow(8);
    this.view.setBigInt64(at, value, true);
  }

  float(value: number): void {
    const at = this.grow(4);
    this.view.setFloat32(at, value, true);
  }

  double(value: number): void {
    const at = this.grow(8);
    this.view.setFloat64(at, value, true);
  }

  bytes(value: Uint8Array): void {
    const at = this.grow(value.length);
    this.buffer.set(value, at);
  }

  /** @param value from 0 to 2^53 */
  varUint(value: number): void {
    const start = this.grow(MAX_VARINT_SIZE);
    this.length = putVarUint(this.buffer, start, value);
  }

  /** @param value converted to 64 bits, unsigned */
  varUint64(value: bigint): void {
    const start = this.grow(MAX_VARINT_SIZE);
    this.length = putVarUint64(this.buffer, start, value);
  }

  /** Signed: 0, -1, 1, -2 and so on as 0, 1, 2, 3. */
  varInt64(value: bigint): void {
    const signed = BigInt.asIntN(64, value);
    this.varUint64((signed << 1n) ^ (signed >> 63n));
  }

  /** An id; -1 and the like become 64 unsigned bits. */
  varId64(value: number): void {
    if (value >= 0) this.varUint(value);
    else this.varUint64(BigInt(value));
  }

  /** In struct order. */
  guid(value: GuidWords): void {
    const at = this.grow(GUID_SIZE);
    putGuid(this.view, at, value);
  }

  /** UTF-8 after its length in bytes. */
  utf8(text: string): void {
    const size = Buffer.byteLength(text);
    this.varUint(size);
    const at = this.grow(size);
    this.buffer.write(text, at, 'utf8');
  }

  /** UTF-16. */
  utf16(text: string): void {
    const at = this.grow(text.length * 2);
    this.buffer.write(text, at, 'utf16le');
  }

  /** UTF-16 up to a NUL; text after a NUL of its own is cut off. */
  utf16Terminated(text: string): void {
    const nulAt = text.indexOf('\0');
    this.utf16(nulAt < 0 ? text : text.slice(0, nulAt));
    this.uint16(0);
  }

  /** Overwrites the number at the offset. */
  setUint16(at: number, value: number): void {
    this.view.setUint16(at, value, true);
  }

  setUint32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  setInt64(at: number, value: bigint): void {
    this.view.setBigInt64(at, value, true);
  }

  /** Discards everything from the offset on. */
  cut(length: number): void {
    this.length = length;
  }

  /** Sets bits of the byte at the offset. */
  setBits(at: number, bits: number): void {
    this.buffer[at] = (this.buffer[at] as number) | bits;
  }

  /** Everything written, valid until the next write. */
  current(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** The complete part of it, valid until the next write. */
  whole(): Uint8Array {
    return this.buffer.subarray(0, this.kept);
  }

  /** A copy of the complete part. */
  wholeCopy(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.buffer, 0, this.kept);
  }

  /** A copy of everything written. */
  copy(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.buffer, 0, this.length);
  }

  /** Returns a copy of everything written, and clears it. */
  take(): Uint8Array {
    const taken = this.copy();
    this.length = 0;
    return taken;
  }

  /** Makes room for so many bytes behind what has been written. */
  reserve(size: number): void {
    const end = this.length + size;
    if (end > this.buffer.length) this.enlarge(end);
  }

  /** Where to put the next `size` bytes. */
  private grow(size: number): number {
    const at = this.length;
    const end = at + size;
    if (end > this.buffer.length) this.enlarge(end);
    this.length = end;
    return at;
  }

  private enlarge(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.buffer.length));
    larger.set(this.buffer.subarray(0, this.length));
    const view = viewOf(larger);
    this.buffer = larger;
    this.view = view;
  }
}
