/** A piece of a perf.data file that has been read, and where it stands in the file. */
import { viewOf } from '../bytes.ts';

export class Piece {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  private readonly start: number;
  private readonly step: 0 | 1;

  /**
   * @param start where the bytes stand in the file
   * @param isUnpacked the bytes come out of a compressed record that stands there
   */
  constructor(bytes: Uint8Array, start: number, isUnpacked = false) {
    // A Buffer's parts would be Buffers, and so would the values that are bytes.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.view = viewOf(bytes);
    this.start = start;
    this.step = isUnpacked ? 0 : 1;
  }

  /** Where in the file the piece's byte number `offset` is. */
  positionOf(offset: number): number {
    return this.start + this.step * offset;
  }

  /** Other bytes, that stand where this piece's byte number `offset` is. */
  at(offset: number, bytes: Uint8Array): Piece {
    return new Piece(bytes, this.positionOf(offset), this.step === 0);
  }
}

/** A part of the file, in bytes. */
export interface Section {
  readonly start: number;
  readonly end: number;
}
