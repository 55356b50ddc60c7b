/**
 * Splits bytes that arrive in chunks of any size into records.
 *
 * Every record has a header (type u32, misc u16, size u16 including the header). Two of them are followed by data
 * beyond their size: the processor trace after AUXTRACE, which is skipped, and the formats of tracepoints after
 * TRACING_DATA. Source: Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */
import { viewOf } from '../bytes.ts';
import { RECORD_HEAD_SIZE, RecordType } from './constants.ts';
import { Cursor } from './cursor.ts';
import { PerfDataError } from './error.ts';
import { Piece } from './piece.ts';

export interface RawRecord {
  /** See `RecordType`. */
  readonly type: number;
  readonly misc: number;
  /** The bytes that contain the body, from `start` to `end`. For TRACING_DATA it is the data that follows. */
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
  /** The position of the record in the file. */
  readonly position: number;
}

/** The formats of all tracepoints of a kernel take about 5 MB. */
const MAX_TRACING_DATA_SIZE = 256 * 1024 * 1024;

const NOTHING = new Uint8Array(0);

export class RecordSplitter {
  private readonly littleEndian: boolean;
  /** A record whose first `filled` bytes have arrived, or only its header if no more is known. */
  private partial = NOTHING;
  private filled = 0;
  private partialPiece = new Piece(NOTHING, 0);
  /** Bytes after a record that are still to come, and those that have arrived if they are needed. */
  private behind = 0;
  private tracingData: { readonly record: RawRecord; readonly parts: Uint8Array[] } | undefined;

  constructor(littleEndian: boolean) {
    this.littleEndian = littleEndian;
  }

  /**
   * The records that end in this chunk, as views of it where possible. All must be consumed before the next chunk.
   * @throws PerfDataError
   */
  *push(piece: Piece): Generator<RawRecord> {
    const { bytes, view } = piece;
    let offset = 0;
    for (;;) {
      offset += this.takeBehind(bytes, offset);
      if (this.behind === 0 && this.tracingData !== undefined) yield this.takeTracingData();
      if (offset === bytes.length) return;
      if (this.filled > 0) {
        offset += this.fill(piece, offset);
        if (this.filled < this.partial.length) return;
        if (this.filled === RECORD_HEAD_SIZE && this.grow() > RECORD_HEAD_SIZE) continue;
        const record = this.takePartial();
        if (record !== undefined) yield record;
        continue;
      }
      const left = bytes.length - offset;
      const size = left < RECORD_HEAD_SIZE ? RECORD_HEAD_SIZE : this.sizeAt(view, offset, piece);
      if (size > left) {
        this.partial = new Uint8Array(size);
        this.partialPiece = piece.at(offset, this.partial);
        offset += this.fill(piece, offset);
        return;
      }
      const record = this.recordAt(piece, offset, size);
      offset += size;
      if (record !== undefined) yield record;
    }
  }

  /** @throws PerfDataError if the bytes have ended inside a record */
  end(): void {
    if (this.filled > 0) {
      const size = this.filled < RECORD_HEAD_SIZE ? 'at least 8' : this.partial.length;
      throw new PerfDataError(
        'truncated',
        this.partialPiece.positionOf(0),
        `The data ends inside a record of ${size} bytes.`,
      );
    }
    if (this.behind > 0) {
      const at = this.tracingData?.record.position ?? this.partialPiece.positionOf(0);
      throw new PerfDataError(
        'truncated',
        at,
        `The data ends ${this.behind} bytes short of what a record announces.`,
      );
    }
  }

  /** Adds what belongs to the partial record; returns how much that is. */
  private fill(piece: Piece, offset: number): number {
    const size = Math.min(this.partial.length - this.filled, piece.bytes.length - offset);
    this.partial.set(piece.bytes.subarray(offset, offset + size), this.filled);
    this.filled += size;
    return size;
  }

  /** The partial record's header is complete: makes room for the rest. Returns the record's size. */
  private grow(): number {
    const size = this.sizeAt(viewOf(this.partial), 0, this.partialPiece);
    const whole = new Uint8Array(size);
    whole.set(this.partial);
    this.partial = whole;
    this.partialPiece = this.partialPiece.at(0, whole);
    return size;
  }

  private takePartial(): RawRecord | undefined {
    const size = this.filled;
    this.filled = 0;
    return this.recordAt(this.partialPiece, 0, size);
  }

  private sizeAt(view: DataView, offset: number, piece: Piece): number {
    const size = view.getUint16(offset + 6, this.littleEndian);
    if (size < RECORD_HEAD_SIZE) {
      throw new PerfDataError(
        'malformed',
        piece.positionOf(offset),
        `A record cannot have ${size} bytes: its header alone has ${RECORD_HEAD_SIZE}.`,
      );
    }
    return size;
  }

  /** The record, or nothing yet if its content follows it. */
  private recordAt(piece: Piece, offset: number, size: number): RawRecord | undefined {
    const { view } = piece;
    const record: RawRecord = {
      type: view.getUint32(offset, this.littleEndian),
      misc: view.getUint16(offset + 4, this.littleEndian),
      piece,
      start: offset + RECORD_HEAD_SIZE,
      end: offset + size,
      position: piece.positionOf(offset),
    };
    if (record.type === RecordType.Auxtrace) {
      this.partialPiece = piece.at(offset, NOTHING);
      this.behind = bodyOf(record, this.littleEndian).size64();
    } else if (record.type === RecordType.TracingData) {
      this.behind = bodyOf(record, this.littleEndian).uint32();
      if (this.behind > MAX_TRACING_DATA_SIZE) {
        throw new PerfDataError(
          'malformed',
          record.position,
          `${this.behind} bytes of tracing data exceed the limit.`,
        );
      }
      this.tracingData = { record, parts: [] };
      return undefined;
    }
    return record;
  }

  private takeBehind(bytes: Uint8Array, offset: number): number {
    const size = Math.min(this.behind, bytes.length - offset);
    if (size > 0) this.tracingData?.parts.push(bytes.subarray(offset, offset + size));
    this.behind -= size;
    return size;
  }

  private takeTracingData(): RawRecord {
    const { record, parts } = this.tracingData as { record: RawRecord; parts: Uint8Array[] };
    this.tracingData = undefined;
    const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return { ...record, piece: record.piece.at(record.end, bytes), start: 0, end: bytes.length };
  }
}

/** Reads the record's body. */
export function bodyOf(record: RawRecord, littleEndian: boolean): Cursor {
  return new Cursor(record.piece, littleEndian, 'a record', record.start, record.end);
}
