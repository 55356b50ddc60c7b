/**
 * Splits bytes that arrive in chunks of any size into records.
 *
 * Every record has a header (type u32, misc u16, size u16 including the header). Two of them are followed by data
 * beyond their size: the processor trace after AUXTRACE, which is skipped, and the formats of tracepoints after
 * TRACING_DATA. Source: Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */

import { viewOf } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import { RECORD_HEAD_SIZE, RecordType } from './constants.ts';
import { Cursor } from './cursor.ts';
import { Piece } from './piece.ts';

/** The formats of all tracepoints of a kernel take about 5 MB. */
const MAX_TRACING_DATA_SIZE = 256 * 1024 * 1024;

const NOTHING = new Uint8Array(0);
const NO_PIECE = new Piece(NOTHING, 0);

/** A cursor: its properties describe the current record. */
export class RecordSplitter {
  /** See `RecordType`. */
  type = 0;
  misc = 0;
  /** The bytes that contain the body, from `start` to `end`. For TRACING_DATA it is the data that follows. */
  piece = NO_PIECE;
  start = 0;
  end = 0;
  readonly #littleEndian: boolean;
  #input = NO_PIECE;
  #offset = 0;
  /** The position of the record in the file if its piece does not tell it, or -1. */
  #positionOfTracingData = -1;
  /** A record whose first `filled` bytes have arrived, or only its header if no more is known. */
  #partial = NOTHING;
  #filled = 0;
  #partialPiece = NO_PIECE;
  /** Bytes after a record that are still to come, and those that have arrived if they are needed. */
  #behind = 0;
  #tracingData: { readonly position: number; readonly parts: Uint8Array[] } | undefined;

  constructor(littleEndian: boolean) {
    this.#littleEndian = littleEndian;
  }

  /** The position of the record in the file. */
  get position(): number {
    if (this.#positionOfTracingData >= 0) return this.#positionOfTracingData;
    return this.piece.positionOf(this.start - RECORD_HEAD_SIZE);
  }

  /** Reads the record's body. */
  get body(): Cursor {
    return new Cursor(this.piece, this.#littleEndian, 'a record', this.start, this.end);
  }

  /** Adds the next chunk. Call it only when `next` has returned false. */
  push(piece: Piece): void {
    this.#input = piece;
    this.#offset = 0;
  }

  /**
   * Advances to the next record that ends in this chunk, as a view of it where possible.
   *
   * @returns false if more bytes are needed
   * @throws TraceError
   */
  next(): boolean {
    const { bytes } = this.#input;
    for (;;) {
      if (this.#behind > 0) this.#takeBehind();
      if (this.#behind === 0 && this.#tracingData !== undefined)
        return this.#endTracingData(this.#tracingData);
      if (this.#offset === bytes.length) return false;
      if (this.#filled === 0 && this.#readWhole()) return true;
      if (this.#filled > 0) {
        this.#fill();
        if (this.#filled < this.#partial.length) return false;
        if (this.#filled === RECORD_HEAD_SIZE && this.#grow() > RECORD_HEAD_SIZE) continue;
        const size = this.#filled;
        this.#filled = 0;
        if (this.#readAt(this.#partialPiece, 0, size)) return true;
      }
    }
  }

  /** @throws TraceError if the bytes have ended inside a record */
  finish(): void {
    if (this.#filled > 0) {
      const size = this.#filled < RECORD_HEAD_SIZE ? 'at least 8' : this.#partial.length;
      throw new TraceError(
        'truncated',
        this.#partialPiece.positionOf(0),
        `The data ends inside a record of ${size} bytes.`,
      );
    }
    if (this.#behind > 0) {
      const at = this.#tracingData?.position ?? this.#partialPiece.positionOf(0);
      throw new TraceError(
        'truncated',
        at,
        `The data ends ${this.#behind} bytes short of what a record announces.`,
      );
    }
  }

  /** Reads the record that starts here, or starts a partial one. @returns whether there is a record */
  #readWhole(): boolean {
    const input = this.#input;
    const offset = this.#offset;
    const left = input.bytes.length - offset;
    const size = left < RECORD_HEAD_SIZE ? RECORD_HEAD_SIZE : this.#sizeAt(input.view, offset, input);
    if (size > left) {
      this.#partial = new Uint8Array(size);
      this.#partialPiece = input.at(offset, this.#partial);
      this.#fill();
      return false;
    }
    this.#offset = offset + size;
    return this.#readAt(input, offset, size);
  }

  /** Adds what belongs to the partial record. */
  #fill(): void {
    const { bytes } = this.#input;
    const size = Math.min(this.#partial.length - this.#filled, bytes.length - this.#offset);
    this.#partial.set(bytes.subarray(this.#offset, this.#offset + size), this.#filled);
    this.#filled += size;
    this.#offset += size;
  }

  /** The partial record's header is complete: makes room for the rest. Returns the record's size. */
  #grow(): number {
    const size = this.#sizeAt(viewOf(this.#partial), 0, this.#partialPiece);
    const whole = new Uint8Array(size);
    whole.set(this.#partial);
    this.#partial = whole;
    this.#partialPiece = this.#partialPiece.at(0, whole);
    return size;
  }

  #sizeAt(view: DataView, offset: number, piece: Piece): number {
    const size = view.getUint16(offset + 6, this.#littleEndian);
    if (size < RECORD_HEAD_SIZE) {
      throw new TraceError(
        'malformed',
        piece.positionOf(offset),
        `A record cannot have ${size} bytes: its header alone has ${RECORD_HEAD_SIZE}.`,
      );
    }
    return size;
  }

  /** @returns false if the record's content follows it */
  #readAt(piece: Piece, offset: number, size: number): boolean {
    const { view } = piece;
    const type = view.getUint32(offset, this.#littleEndian);
    this.type = type;
    this.misc = view.getUint16(offset + 4, this.#littleEndian);
    this.piece = piece;
    this.start = offset + RECORD_HEAD_SIZE;
    this.end = offset + size;
    this.#positionOfTracingData = -1;
    if (type === RecordType.Auxtrace) {
      this.#partialPiece = piece.at(offset, NOTHING);
      this.#behind = this.body.size64();
    } else if (type === RecordType.TracingData) {
      this.#behind = this.body.uint32();
      if (this.#behind > MAX_TRACING_DATA_SIZE) {
        throw new TraceError(
          'malformed',
          this.position,
          `${this.#behind} bytes of tracing data exceed the limit.`,
        );
      }
      this.#tracingData = { position: this.position, parts: [] };
      return false;
    }
    return true;
  }

  #takeBehind(): void {
    const { bytes } = this.#input;
    const size = Math.min(this.#behind, bytes.length - this.#offset);
    if (size > 0) this.#tracingData?.parts.push(bytes.subarray(this.#offset, this.#offset + size));
    this.#behind -= size;
    this.#offset += size;
  }

  #endTracingData({ position, parts }: { position: number; parts: readonly Uint8Array[] }): boolean {
    const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    this.#tracingData = undefined;
    this.type = RecordType.TracingData;
    this.#positionOfTracingData = position;
    this.piece = this.piece.at(this.end, bytes);
    this.start = 0;
    this.end = bytes.length;
    return true;
  }
}
