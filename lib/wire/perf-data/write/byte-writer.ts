/** Assembles bytes, little-endian, in growing memory. */
import { viewOf } from '../../bytes.ts';

const FIRST_SIZE = 256;
const encoder = new TextEncoder();

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_SIZE);
  #view = viewOf(this.#bytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  uint8(value: number): this {
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
    return this;
  }

  uint16(value: number): this {
    const at = this.#grow(2);
    this.#view.setUint16(at, value, true);
    return this;
  }

  uint32(value: number): this {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
    return this;
  }

  uint64(value: bigint | number): this {
    const at = this.#grow(8);
    this.#view.setBigUint64(at, BigInt(value), true);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** UTF-8 and a NUL. */
  terminatedText(text: string): this {
    return this.bytes(encoder.encode(text)).uint8(0);
  }

  /** Zeros up to a multiple of `size`. */
  pad(size: number): this {
    this.#grow((size - (this.#length % size)) % size);
    return this;
  }

  /** Everything written so far, not a copy. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Where to put the next `size` bytes. */
  #grow(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = viewOf(larger);
    }
    return at;
  }
}
