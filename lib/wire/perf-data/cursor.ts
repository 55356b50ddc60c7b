/** Reads a part of a perf.data file in order, in the file's byte order, and never past the end of the part. */

import { ByteCursor } from '../../base/byte-cursor.ts';
import { indexOfNul } from '../../base/bytes.ts';
import { decodeUtf8 } from '../text.ts';
import { TraceError } from '../trace-error.ts';
import type { Piece } from './piece.ts';

export class Cursor extends ByteCursor {
  readonly littleEndian: boolean;
  readonly #piece: Piece;
  readonly #what: string;

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
    super(piece.bytes, piece.view, start, end);
    this.littleEndian = littleEndian;
    this.#piece = piece;
    this.#what = what;
  }

  /** The cursor's position in the file. */
  get position(): number {
    return this.#piece.positionOf(this.offset);
  }

  /** Returns a cursor at the same position, for continuing in another byte order. */
  inOrder(littleEndian: boolean): Cursor {
    return new Cursor(this.#piece, littleEndian, this.#what, this.offset, this.end);
  }

  override uint16(): number {
    return this.view.getUint16(this.advance(2), this.littleEndian);
  }

  override uint32(): number {
    return this.view.getUint32(this.advance(4), this.littleEndian);
  }

  override uint64(): bigint {
    return this.view.getBigUint64(this.advance(8), this.littleEndian);
  }

  /** A u64 that is a size or a position: far below 2^53 in any real file. */
  size64(): number {
    const at = this.position;
    const value = Number(this.uint64());
    return Number.isSafeInteger(value)
      ? value
      : this.fail(`A size in ${this.#what} cannot be ${value} bytes.`, at);
  }

  /** The next `size` bytes, to be read separately. */
  part(size: number): Cursor {
    const start = this.advance(size);
    return new Cursor(this.#piece, this.littleEndian, this.#what, start, start + size);
  }

  /** Text up to a NUL, which is also skipped. */
  terminatedText(): string {
    const end = indexOfNul(this.memory, this.offset, this.end);
    if (end < 0) return this.failAtEnd(`A name in ${this.#what} has no end.`);
    const text = decodeUtf8(this.memory.subarray(this.offset, end));
    this.offset = end + 1;
    return text;
  }

  /** Text in a field of `size` bytes, up to the first NUL if there is one. */
  paddedText(size: number): string {
    const field = this.take(size);
    const end = indexOfNul(field, 0, field.length);
    return decodeUtf8(end < 0 ? field : field.subarray(0, end));
  }

  override fail(reason: string, at: number = this.position): never {
    throw new TraceError('malformed', at, reason);
  }

  protected override failShort(size: number): never {
    return this.failAtEnd(`${size} bytes are needed in ${this.#what}, but only ${this.left} are left.`);
  }

  /** The part should be longer. */
  protected failAtEnd(reason: string): never {
    return this.fail(reason);
  }
}
