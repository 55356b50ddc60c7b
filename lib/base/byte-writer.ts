/**
 * Assembles bytes in growing memory, little-endian.
 *
 * Any call may overflow the stack or run out of memory. Memory and its view are therefore replaced together, by
 * assignments that no call interrupts, and the length counts bytes only once there is room for them.
 */
import { viewOf } from './bytes.ts';

const FIRST_SIZE = 1024;
const encoder = new TextEncoder();

/** The maximum size of a variable-length 64-bit integer. */
export const MAX_VARINT_SIZE = 10;
/** 2 to the 28th: the values of up to four bytes of a variable-length integer are smaller. */
const FOUR_GROUPS = 0x1000_0000;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Writes a variable-length integer (unsigned LEB128). There must be room for `MAX_VARINT_SIZE` bytes.
 *
 * @param value not negative, up to 2^53
 * @returns the offset after it
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

/** Writes an unsigned 64-bit integer in the same way. */
export function putVarUint64(buffer: Uint8Array, offset: number, value: bigint): number {
  let at = offset;
  let left = BigInt.asUintN(64, value);
  for (; left > MAX_SAFE; left >>= 7n) buffer[at++] = Number(left & 0x7fn) | 0x80;
  return putVarUint(buffer, at, Number(left));
}

export class ByteWriter {
  length = 0;
  /** The memory, which is replaced when it grows, and a view of it. A Buffer because of its `write`. */
  buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  view: DataView = viewOf(this.buffer);

  uint8(value: number): this {
    const at = this.grow(1);
    this.buffer[at] = value;
    return this;
  }

  uint16(value: number): this {
    const at = this.grow(2);
    this.view.setUint16(at, value, true);
    return this;
  }

  uint32(value: number): this {
    const at = this.grow(4);
    this.view.setUint32(at, value, true);
    return this;
  }

  /** Signed or unsigned. */
  uint64(value: bigint | number): this {
    const at = this.grow(8);
    this.view.setBigInt64(at, typeof value === 'bigint' ? value : BigInt(value), true);
    return this;
  }

  float(value: number): this {
    const at = this.grow(4);
    this.view.setFloat32(at, value, true);
    return this;
  }

  double(value: number): this {
    const at = this.grow(8);
    this.view.setFloat64(at, value, true);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.grow(value.length);
    this.buffer.set(value, at);
    return this;
  }

  /** @param value from 0 to 2^53 */
  varUint(value: number): this {
    const start = this.grow(MAX_VARINT_SIZE);
    this.length = putVarUint(this.buffer, start, value);
    return this;
  }

  /** An optional number. */
  optionalVarUint(value: number | undefined): this {
    return this.varUint(value === undefined ? 0 : value + 1);
  }

  /** @param value converted to 64 bits, unsigned */
  varUint64(value: bigint): this {
    const start = this.grow(MAX_VARINT_SIZE);
    this.length = putVarUint64(this.buffer, start, value);
    return this;
  }

  utf16(text: string): this {
    const at = this.grow(text.length * 2);
    this.buffer.write(text, at, 'utf16le');
    return this;
  }

  /** UTF-8 and a NUL. */
  terminatedUtf8(text: string): this {
    return this.bytes(encoder.encode(text)).uint8(0);
  }

  /** Zeros up to a multiple of `size`. */
  pad(size: number): this {
    const at = this.grow((size - (this.length % size)) % size);
    this.buffer.fill(0, at, this.length);
    return this;
  }

  /** Everything written, valid until the next write. */
  current(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** A copy of everything written: `slice` would clear its memory first, which takes half as long again. */
  copy(): Uint8Array {
    return new Uint8Array(this.current());
  }

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    const end = this.length + size;
    if (end > this.buffer.length) this.#enlarge(end);
  }

  /** Returns where to put the next `size` bytes. */
  protected grow(size: number): number {
    const at = this.length;
    const end = at + size;
    if (end > this.buffer.length) this.#enlarge(end);
    this.length = end;
    return at;
  }

  #enlarge(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.buffer.length));
    larger.set(this.buffer.subarray(0, this.length));
    const view = viewOf(larger);
    this.buffer = larger;
    this.view = view;
  }
}
