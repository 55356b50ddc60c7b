/**
 * A sample: views of the record's bytes that are read on demand, since files contain millions of them. The attribute's
 * `sample_type` says which fields there are; their order is fixed. Source: Linux `perf_event.h`, PERF_RECORD_SAMPLE.
 *
 * What may follow the raw data (branches, registers, the user's stack, weights) is not read.
 */
import type { PerfAttr } from './attr.ts';
import { RECORD_HEAD_SIZE, ReadFormat, SampleType } from './constants.ts';
import type { Cursor } from './cursor.ts';
import type { Piece } from './piece.ts';
import type { TracepointFormat } from './tracepoint-format.ts';

export class SampleRecord {
  readonly kind = 'sample';
  readonly attr: PerfAttr;
  /** For a tracepoint's sample, if the file has its format. */
  readonly tracepoint: TracepointFormat | undefined;
  /** Bytes of the record. */
  readonly size: number;
  private readonly piece: Piece;
  private readonly littleEndian: boolean;
  private readonly start: number;
  /** The position of the variable-size fields in the chunk. */
  private readonly callchainAt: number | undefined;
  private readonly rawAt: number | undefined;

  /**
   * @param piece the chunk that `cursor` reads
   * @param cursor the record's body
   * @throws PerfDataError if the record ends before its fields
   */
  constructor(piece: Piece, cursor: Cursor, attr: PerfAttr, tracepoint: TracepointFormat | undefined) {
    this.piece = piece;
    this.littleEndian = cursor.littleEndian;
    this.start = cursor.offset;
    this.size = cursor.left;
    this.attr = attr;
    this.tracepoint = tracepoint;
    const has = (bit: bigint) => (attr.sampleType & bit) !== 0n;
    cursor.skip(attr.layout.size);
    if (has(SampleType.Read)) skipCounters(cursor, attr.readFormat);
    if (has(SampleType.Callchain)) {
      this.callchainAt = cursor.offset;
      cursor.skip(8 * cursor.size64());
    }
    if (has(SampleType.Raw)) {
      this.rawAt = cursor.offset;
      cursor.skip(cursor.uint32());
    }
  }

  /** The position of the record in the file; see `RecordHead`. */
  get offset(): number {
    return this.piece.positionOf(this.start - RECORD_HEAD_SIZE);
  }

  /** This and the others: undefined if not recorded. */
  get pid(): number | undefined {
    return this.uint32(this.attr.layout.tid);
  }

  get tid(): number | undefined {
    const { tid } = this.attr.layout;
    return this.uint32(tid === undefined ? undefined : tid + 4);
  }

  get cpu(): number | undefined {
    return this.uint32(this.attr.layout.cpu);
  }

  /** Nanoseconds on the recording's clock. */
  get timeNs(): bigint | undefined {
    return this.uint64(this.attr.layout.time);
  }

  get id(): bigint | undefined {
    return this.uint64(this.attr.layout.id);
  }

  get ip(): bigint | undefined {
    return this.uint64(this.attr.layout.ip);
  }

  get addr(): bigint | undefined {
    return this.uint64(this.attr.layout.addr);
  }

  get period(): bigint | undefined {
    return this.uint64(this.attr.layout.period);
  }

  /** With marks between kernel and user addresses; see `FIRST_CALLCHAIN_MARK`. */
  get callchain(): readonly bigint[] | undefined {
    if (this.callchainAt === undefined) return undefined;
    const { view } = this.piece;
    const count = Number(view.getBigUint64(this.callchainAt, this.littleEndian));
    const first = this.callchainAt + 8;
    return Array.from({ length: count }, (_, i) => view.getBigUint64(first + 8 * i, this.littleEndian));
  }

  /** A tracepoint's data, from its common fields on; a view of the file's own bytes. */
  get raw(): Uint8Array | undefined {
    if (this.rawAt === undefined) return undefined;
    const start = this.rawAt + 4;
    return this.piece.bytes.subarray(start, start + this.piece.view.getUint32(this.rawAt, this.littleEndian));
  }

  private uint32(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.piece.view.getUint32(this.start + at, this.littleEndian);
  }

  private uint64(at: number | undefined): bigint | undefined {
    return at === undefined ? undefined : this.piece.view.getBigUint64(this.start + at, this.littleEndian);
  }
}

/** Readings of the sample's counter, or of all in its group. */
function skipCounters(cursor: Cursor, format: bigint): void {
  const has = (bit: bigint) => (format & bit) !== 0n;
  const count = (bits: readonly bigint[]) => bits.filter(has).length;
  const isGroup = has(ReadFormat.Group);
  const counters = isGroup ? cursor.size64() : 1;
  cursor.skip(8 * count([ReadFormat.TotalTimeEnabled, ReadFormat.TotalTimeRunning]));
  cursor.skip(counters * 8 * (1 + count([ReadFormat.Id, ReadFormat.Lost])));
}
