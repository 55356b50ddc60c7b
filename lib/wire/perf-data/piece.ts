/** A chunk of a perf.data file that has been read, and its position in the file. */
import { viewOf } from '../../base/bytes.ts';

export class Piece {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly #start: number;
  readonly #step: 0 | 1;

  /**
   * @param start the position of the bytes in the file
   * @param isUnpacked whether the bytes come from a compressed record at that position
   */
  constructor(bytes: Uint8Array, start: number, isUnpacked = false) {
    // Slices of a Buffer would be Buffers, and so would binary values.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.view = viewOf(bytes);
    this.#start = start;
    this.#step = isUnpacked ? 0 : 1;
  }

  /** The position in the file of the chunk's byte number `offset`. */
  positionOf(offset: number): number {
    return this.#start + this.#step * offset;
  }

  /** Other bytes that belong at the position of the chunk's byte number `offset`. */
  at(offset: number, bytes: Uint8Array): Piece {
    return new Piece(bytes, this.positionOf(offset), this.#step === 0);
  }
}

/** A part of the file, in bytes. */
export interface Section {
  readonly start: number;
  readonly end: number;
}
