/**
 * A sample: views of the record's bytes that are read on demand, since files contain millions of them. The attribute's
 * `sample_type` says which fields there are; their order is fixed. Source: Linux `perf_event.h`, PERF_RECORD_SAMPLE.
 *
 * What may follow the raw data (branches, registers, the user's stack, weights) is not read.
 */

import { isTracepointV1 } from '../tracepoint-v1/decode.ts';
import type { PerfAttr } from './attr.ts';
import { RECORD_HEAD_SIZE } from './constants.ts';
import type { Cursor } from './cursor.ts';
import type { Piece } from './piece.ts';
import type { SampleLayout } from './sample-layout.ts';
import type { TracepointFormat } from './tracepoint-format.ts';

const TWO_TO_32 = 2 ** 32;

/** What all samples of one attribute have in common. */
export class SampleKind {
  readonly attr: PerfAttr;
  /** The format of a tracepoint's samples, if the file has it. */
  readonly tracepoint: TracepointFormat | undefined;
  readonly littleEndian: boolean;
  readonly layout: SampleLayout;
  /** Whether EventPipe writes them: see `decodeTracepointV1`. */
  readonly isOfEventPipe: boolean;

  constructor(attr: PerfAttr, tracepoint: TracepointFormat | undefined, littleEndian: boolean) {
    this.attr = attr;
    this.tracepoint = tracepoint;
    this.littleEndian = littleEndian;
    this.layout = attr.layout;
    this.isOfEventPipe = attr.layout.hasRaw && isTracepointV1(tracepoint?.fields ?? []);
  }

  /** Whether the record is large enough for its fields. */
  fits(piece: Piece, start: number, end: number): boolean {
    const { layout } = this;
    const fixedEnd = start + layout.size;
    if (fixedEnd > end || (layout.counters?.isGroup === true && fixedEnd + 8 > end)) return false;
    let at = this.callchainAt(piece, start);
    if (at > end || (layout.hasCallchain && at + 8 > end)) return false;
    if (layout.hasCallchain) at = this.rawAt(piece, start);
    if (at > end || (layout.hasRaw && at + 4 > end)) return false;
    return !layout.hasRaw || at + 4 + piece.view.getUint32(at, this.littleEndian) <= end;
  }

  /**
   * Reports why a record is too small.
   *
   * @param cursor the record's body
   * @throws TraceError
   */
  check(cursor: Cursor): void {
    const { size, counters, hasCallchain, hasRaw } = this.layout;
    cursor.skip(size);
    if (counters !== undefined) {
      const count = counters.isGroup ? cursor.size64() : 1;
      cursor.skip(counters.common);
      cursor.skip(count * counters.each);
    }
    if (hasCallchain) cursor.skip(8 * cursor.size64());
    if (hasRaw) cursor.skip(cursor.uint32());
  }

  /** The position of the call chain in the piece, if there is one. */
  callchainAt(piece: Piece, start: number): number {
    const { size, counters } = this.layout;
    const at = start + size;
    if (counters === undefined) return at;
    const { isGroup, common, each } = counters;
    return at + common + (isGroup ? 8 + this.#size64(piece, at) * each : each);
  }

  /** The position of the raw data's size, if there is raw data. */
  rawAt(piece: Piece, start: number): number {
    const at = this.callchainAt(piece, start);
    return this.layout.hasCallchain ? at + 8 + 8 * this.#size64(piece, at) : at;
  }

  #size64(piece: Piece, at: number): number {
    const { view } = piece;
    const [first, second] = [
      view.getUint32(at, this.littleEndian),
      view.getUint32(at + 4, this.littleEndian),
    ];
    return this.littleEndian ? second * TWO_TO_32 + first : first * TWO_TO_32 + second;
  }
}

export class SampleRecord {
  /** The kind of sample. */
  readonly of: SampleKind;
  readonly piece: Piece;
  readonly #start: number;
  readonly #end: number;

  /** @param start,end the record's body in the piece, for which `of.fits` */
  constructor(of: SampleKind, piece: Piece, start: number, end: number) {
    this.of = of;
    this.piece = piece;
    this.#start = start;
    this.#end = end;
  }

  get kind(): 'sample' {
    return 'sample';
  }

  get attr(): PerfAttr {
    return this.of.attr;
  }

  get tracepoint(): TracepointFormat | undefined {
    return this.of.tracepoint;
  }

  /** Bytes of the record. */
  get size(): number {
    return this.#end - this.#start;
  }

  /** The position of the record in the file; see `RecordHead`. */
  get offset(): number {
    return this.piece.positionOf(this.#start - RECORD_HEAD_SIZE);
  }

  /** The fields are undefined if they were not recorded. */
  get pid(): number | undefined {
    return this.#uint32(this.of.layout.tid);
  }

  get tid(): number | undefined {
    const { tid } = this.of.layout;
    return this.#uint32(tid === undefined ? undefined : tid + 4);
  }

  get cpu(): number | undefined {
    return this.#uint32(this.of.layout.cpu);
  }

  /** Nanoseconds on the recording's clock. */
  get timeNs(): bigint | undefined {
    return this.#uint64(this.of.layout.time);
  }

  get id(): bigint | undefined {
    return this.#uint64(this.of.layout.id);
  }

  get ip(): bigint | undefined {
    return this.#uint64(this.of.layout.ip);
  }

  get addr(): bigint | undefined {
    return this.#uint64(this.of.layout.addr);
  }

  get period(): bigint | undefined {
    return this.#uint64(this.of.layout.period);
  }

  /** The chain has marks between kernel and user addresses; see `FIRST_CALLCHAIN_MARK`. */
  get callchain(): readonly bigint[] | undefined {
    const { of, piece } = this;
    if (!of.layout.hasCallchain) return undefined;
    const addresses: bigint[] = [];
    const end = of.rawAt(piece, this.#start);
    for (let at = of.callchainAt(piece, this.#start) + 8; at < end; at += 8) {
      addresses.push(piece.view.getBigUint64(at, of.littleEndian));
    }
    return addresses;
  }

  /** A tracepoint's data, from its common fields on; a view of the file's own bytes. */
  get raw(): Uint8Array | undefined {
    return this.of.layout.hasRaw ? this.piece.bytes.subarray(this.rawStart, this.rawEnd) : undefined;
  }

  /** The position of the raw data in the piece, if the kind has raw data. */
  get rawStart(): number {
    return this.of.rawAt(this.piece, this.#start) + 4;
  }

  get rawEnd(): number {
    const { of, piece } = this;
    const at = of.rawAt(piece, this.#start);
    return at + 4 + piece.view.getUint32(at, of.littleEndian);
  }

  #uint32(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.piece.view.getUint32(this.#start + at, this.of.littleEndian);
  }

  #uint64(at: number | undefined): bigint | undefined {
    return at === undefined
      ? undefined
      : this.piece.view.getBigUint64(this.#start + at, this.of.littleEndian);
  }
}
