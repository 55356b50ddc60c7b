/** Reads a part of a perf.data file in order, in the file's byte order, and never past the end of the part. */
import { indexOfNul } from '../bytes.ts';
import { decodeUtf8 } from '../text.ts';
import { PerfDataError } from './error.ts';
import type { Piece } from './piece.ts';

export class Cursor {
  readonly littleEndian: boolean;
  /** In the chunk. */
  offset: number;
  readonly end: number;
  private readonly piece: Piece;
  private readonly what: string;

  /**
   * @param start,end the part, in bytes from the start of the chunk; it must be inside
   * @param what the name of the part, for errors: `the header`
   */
  constructor(
    piece: Piece,
    littleEndian: boolean,
    what: string,
    start = 0,
    end: number = piece.bytes.length,
  ) {
    this.piece = piece;
    this.littleEndian = littleEndian;
    this.what = what;
    this.offset = start;
    this.end = end;
  }

  get left(): number {
    return this.end - this.offset;
  }

  /** The cursor's position in the file. */
  get position(): number {
    return this.piece.positionOf(this.offset);
  }

  /** The same position, for continuing in another byte order. */
  inOrder(littleEndian: boolean): Cursor {
    return new Cursor(this.piece, littleEndian, this.what, this.offset, this.end);
  }

  uint8(): number {
    return this.piece.view.getUint8(this.advance(1));
  }

  uint16(): number {
    return this.piece.view.getUint16(this.advance(2), this.littleEndian);
  }

  uint32(): number {
    return this.piece.view.getUint32(this.advance(4), this.littleEndian);
  }

  uint64(): bigint {
    return this.piece.view.getBigUint64(this.advance(8), this.littleEndian);
  }

  /** A u64 that is a size or a position: far below 2^53 in any real file. */
  size64(): number {
    const at = this.position;
    const value = Number(this.uint64());
    if (!Number.isSafeInteger(value)) {
      throw new PerfDataError('malformed', at, `A size in ${this.what} cannot be ${value} bytes.`);
    }
    return value;
  }

  /** The next `size` bytes, to be read separately. */
  part(size: number): Cursor {
    const start = this.advance(size);
    return new Cursor(this.piece, this.littleEndian, this.what, start, start + size);
  }

  /** A view of the file's own bytes. */
  take(size: number): Uint8Array {
    const start = this.advance(size);
    return this.piece.bytes.subarray(start, start + size);
  }

  skip(size: number): void {
    this.advance(size);
  }

  /** Text up to a NUL, which is also skipped. */
  terminatedText(): string {
    const { bytes } = this.piece;
    const end = indexOfNul(bytes, this.offset, this.end);
    if (end < 0) throw new PerfDataError('malformed', this.position, `A name in ${this.what} has no end.`);
    const text = decodeUtf8(bytes.subarray(this.offset, end));
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
        'malformed',
        this.position,
        `${size} bytes are needed in ${this.what}, but only ${this.left} are left.`,
      );
    }
    const at = this.offset;
    this.offset += size;
    return at;
  }
}
