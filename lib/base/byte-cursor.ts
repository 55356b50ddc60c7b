/**
 * Reads bytes in order, and never past their end. Each format extends this with its own error, kinds of text and parts.
 *
 * Numbers are little-endian. Formats with either byte order override the methods for numbers: with the order as a field
 * here, the other formats would read numbers a tenth slower.
 */

export abstract class ByteCursor {
  /** The position in the memory. */
  offset: number;
  readonly end: number;
  protected readonly memory: Uint8Array;
  protected readonly view: DataView;

  /**
   * @param view covers exactly the memory
   * @param start,end the part to read, which must be inside
   */
  constructor(memory: Uint8Array, view: DataView, start = 0, end: number = memory.length) {
    this.offset = start;
    this.end = end;
    this.memory = memory;
    this.view = view;
  }

  /** Throws the format's error. */
  abstract fail(reason: string): never;

  get left(): number {
    return this.end - this.offset;
  }

  uint8(): number {
    return this.view.getUint8(this.advance(1));
  }

  uint16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  uint32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  uint64(): bigint {
    return this.view.getBigUint64(this.advance(8), true);
  }

  /** A view of the memory. */
  take(size: number): Uint8Array {
    const start = this.advance(size);
    return this.memory.subarray(start, start + size);
  }

  skip(size: number): void {
    this.advance(size);
  }

  /** Skips the next `size` bytes, and returns their position. */
  protected advance(size: number): number {
    const at = this.offset;
    // Damaged sizes may be negative, and would lead back.
    if (size < 0 || size > this.end - at) this.failShort(size);
    this.offset = at + size;
    return at;
  }

  protected failShort(size: number): never {
    return this.fail(`${size} bytes are needed, but only ${this.left} are left.`);
  }
}
