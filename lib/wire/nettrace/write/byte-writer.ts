/**
 * Assembles the bytes of a nettrace in growing, reusable memory.
 *
 * Any call may overflow the stack, run out of memory or be terminated, and then no cleanup code can run. So bytes count
 * only up to `kept`, which is set by an assignment after the last call: bytes beyond it are discarded later.
 */
import { ByteWriter } from '../../../base/byte-writer.ts';
import type { GuidWords } from '../../guid.ts';

export const GUID_SIZE = 16;

/** A GUID in struct order. */
export function putGuid(view: DataView, offset: number, { w0, w1, w2, w3 }: GuidWords): number {
  view.setInt32(offset, w0, true);
  view.setInt32(offset + 4, w1, true);
  view.setInt32(offset + 8, w2, true);
  view.setInt32(offset + 12, w3, true);
  return offset + GUID_SIZE;
}

export class NetTraceBytes extends ByteWriter {
  /** Up to here, the contents are complete. */
  kept = 0;

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

  /** Writes the GUID in struct order. */
  guid(value: GuidWords): void {
    const at = this.grow(GUID_SIZE);
    putGuid(this.view, at, value);
  }

  float64(value: number): void {
    const at = this.grow(Float64Array.BYTES_PER_ELEMENT);
    this.view.setFloat64(at, value, true);
  }

  /** UTF-8 after its length in bytes. */
  utf8(text: string): void {
    const size = Buffer.byteLength(text);
    this.varUint(size);
    const at = this.grow(size);
    this.buffer.write(text, at, 'utf8');
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

  /** Discards everything from the offset on. */
  cut(length: number): void {
    this.length = length;
  }

  /** Sets bits of the byte at the offset. */
  setBits(at: number, bits: number): void {
    this.buffer[at] = (this.buffer[at] as number) | bits;
  }

  /** The complete part of it, valid until the next write. */
  whole(): Uint8Array {
    return this.buffer.subarray(0, this.kept);
  }

  /** A copy of the complete part. */
  wholeCopy(): Uint8Array {
    return new Uint8Array(this.whole());
  }

  /** Returns a copy of everything written, and clears it. */
  take(): Uint8Array {
    const taken = this.copy();
    this.length = 0;
    return taken;
  }
}
