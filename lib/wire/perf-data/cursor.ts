/**
 * Reading a part of a perf.data file in order, in the file's byte order, and never past the part's end.
 */
import { indexOfNul, viewOf } from '../bytes.ts';
import { decodeUtf8 } from '../text.ts';
import { PerfDataError } from './error.ts';

export class Cursor {
  readonly littleEndian: boolean;
  offset: number;
  readonly end: number;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly what: string;

  /**
   * @param bytes the whole file
   * @param start,end the part, in bytes from the file's start
   * @param what the part's name, for errors: `the header`
   * @throws PerfDataError if the part is not wholly in the file
   */
  constructor(bytes: Uint8Array, littleEndian: boolean, start: number, end: number, what: string) {
    if (start > end || end > bytes.length) {
      throw new PerfDataError(
        Math.min(start, bytes.length),
        `The file of ${bytes.length} bytes ends before ${what}, which is to stand at ${start} to ${end}.`,
      );
    }
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.littleEndian = littleEndian;
    this.offset = start;
    this.end = end;
    this.what = what;
  }

  get left(): number {
    return this.end - this.offset;
  }

  uint8(): number {
    return this.view.getUint8(this.advance(1));
  }

  uint16(): number {
    return this.view.getUint16(this.advance(2), this.littleEndian);
  }

  uint32(): number {
    return this.view.getUint32(this.advance(4), this.littleEndian);
  }

  uint64(): bigint {
    return this.view.getBigUint64(this.advance(8), this.littleEndian);
  }

  /** A u64 that is a size or a position: far below 2^53, else no file could have it. */
  size64(): number {
    const at = this.offset;
    const value = Number(this.uint64());
    if (!Number.isSafeInteger(value))
      throw new PerfDataError(at, `${value} bytes cannot be a size in ${this.what}.`);
    return value;
  }

  /** A view of the file's own bytes. */
  take(size: number): Uint8Array {
    const start = this.advance(size);
    return this.bytes.subarray(start, start + size);
  }

  skip(size: number): void {
    this.advance(size);
  }

  /** Text up to a NUL, which is passed too. */
  terminatedText(): string {
    const end = indexOfNul(this.bytes, this.offset, this.end);
    if (end < 0) throw new PerfDataError(this.offset, `A name in ${this.what} has no end.`);
    const text = decodeUtf8(this.bytes.subarray(this.offset, end));
    this.offset = end + 1;
    return text;
  }

  /** Text in a field of `size` bytes, up to the first NUL if there is one. */
  paddedText(size: number): string {
    const field = this.take(size);
    const end = indexOfNul(field, 0, field.length);
    return decodeUtf8(end < 0 ? field : field.subarray(0, end));
  }

  private advance(size: number): number {
    if (size > this.left) {
      throw new PerfDataError(
        this.offset,
        `${this.what} ends early: ${size} bytes are wanted, ${this.left} are left.`,
      );
    }
    const at = this.offset;
    this.offset += size;
    return at;
  }
}
