/**
 * Reads the records of a perf.data in file order, a few hundred at a time: sorts samples, and what names processes, by
 * time, and counts losses.
 */

import { FIRST_TYPE_OF_TOOL } from '../../wire/perf-data/constants.ts';
import { Piece } from '../../wire/perf-data/piece.ts';
import { RecordReader } from '../../wire/perf-data/record-reader.ts';
import {
  type CommRecord,
  type CompressedRecord,
  type PerfRecord,
  type ThreadRecord,
  timeOf,
} from '../../wire/perf-data/records.ts';
import { SampleKind, SampleRecord } from '../../wire/perf-data/sample.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import { RecordRows, TimeOrder } from '../../wire/perf-data/time-order.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { CHUNK_SIZE, type SeekableBytes } from '../byte-source.ts';
import { RecordUnpacker } from '../source/zstd-records.ts';
import type { TraceProgress } from '../trace-reader.ts';
import { MetadataStore } from './metadata-store.ts';

/** The maximum number of records per `step`, so that the first events are delivered early. */
const MAX_RECORDS = 512;

/** A part of a file, in chunks. */
export async function* piecesOfFile(bytes: SeekableBytes, start: number, end: number): AsyncGenerator<Piece> {
  for (let offset = start; offset < end; ) {
    const piece = await bytes.read(offset, Math.min(CHUNK_SIZE, end - offset));
    if (piece.length === 0) {
      throw new TraceError('truncated', offset, `The file ends before its data, which should end at ${end}.`);
    }
    yield new Piece(piece, offset);
    offset += piece.length;
  }
}

/** The bytes of a pipe, from `start` on. */
export async function* piecesOfPipe(chunks: AsyncIterable<Uint8Array>, start: number): AsyncGenerator<Piece> {
  let offset = 0;
  for await (const chunk of chunks) {
    const skipped = Math.min(chunk.length, Math.max(0, start - offset));
    if (skipped < chunk.length) yield new Piece(chunk.subarray(skipped), offset + skipped);
    offset += chunk.length;
  }
}

/**
 * Names a process. Names only apply in time order: the records of one processor may precede earlier ones of another.
 */
export type NamingRecord = CommRecord | ThreadRecord;

/** A process has the name of its first thread and, until that is named, of the process that started it. */
function isNaming(record: PerfRecord): record is NamingRecord {
  if (record.kind === 'comm') return record.pid === record.tid;
  return record.kind === 'fork' && record.pid !== record.parentPid;
}

/** A sample, given by its kind, or a record that names a process. */
type Taken = SampleKind | NamingRecord;

/** Marks the end of a round among the records read ahead. */
const ROUND_END = 'round end';

export class RecordIntake {
  readonly order = new TimeOrder<Taken>();
  readonly metadata = new MetadataStore();
  /** The earliest time of a record so far, on the recording's clock; 0 if none has a time. */
  earliest = 0n;
  /** Whether there have been kernel records, and whether the last step with any contained the end of a round. */
  hasRecords = false;
  endsRound = false;
  readonly #pieces: AsyncGenerator<Piece>;
  readonly #progress: TraceProgress;
  readonly #fileReader: RecordReader;
  readonly #unpackedReader: RecordReader;
  readonly #unpacker = new RecordUnpacker();
  /** Reads the next records: those of the file, or those in one of its compressed records. */
  #reader: RecordReader;
  #unpacking: { readonly chunks: AsyncGenerator<Uint8Array>; readonly position: number } | undefined;
  /** Records read before `begin`, in file order, and how many of them have been sorted since. */
  readonly #ahead = new RecordRows<Taken | typeof ROUND_END>();
  #aheadPlaced = 0;
  #hasBegun = false;
  #fault: unknown;
  /** The time of the previous sample, for records without one. */
  #timeHigh = 0;
  #timeLow = 0;
  #late = 0;
  #lost = 0;
  #lostSamples = 0;

  constructor(pieces: AsyncGenerator<Piece>, session: PerfSession, progress: TraceProgress) {
    this.#pieces = pieces;
    this.#progress = progress;
    this.#fileReader = new RecordReader(session);
    this.#unpackedReader = new RecordReader(session);
    this.#reader = this.#fileReader;
  }

  /**
   * Reads the next records, until some are ready in `order`. Call it only if nothing is ready.
   *
   * @returns false if there are no more
   * @throws TraceError after all records before the fault have been read
   */
  async step(): Promise<boolean> {
    if (this.#placeAhead()) return true;
    if (this.#fault !== undefined) throw this.#fault;
    while (!this.#takeSome()) {
      if (!(await this.#nextBytes())) return false;
    }
    return true;
  }

  /** Has `step` throw this error, which it threw before `begin`, after the records that were read by then. */
  fail(fault: unknown): void {
    this.#fault = fault;
  }

  /**
   * Starts to sort the records, including those read before.
   *
   * @param startTime of the recording, on its own clock
   */
  begin(startTime: bigint): void {
    this.#hasBegun = true;
    this.#timeHigh = highOf(startTime);
    this.#timeLow = lowOf(startTime);
  }

  async close(): Promise<void> {
    this.#unpacker.close();
    await this.#pieces.return(undefined);
  }

  /** @returns whether the bytes read so far contained any records */
  #takeSome(): boolean {
    const reader = this.#reader;
    let count = 0;
    let hasRecords = false;
    let endsRound = false;
    while (count < MAX_RECORDS && !this.order.hasReady && reader.next()) {
      count++;
      const { record, piece, start, end } = reader;
      if (record instanceof SampleKind) {
        hasRecords = true;
        this.#takeSample(record, piece, start, end);
      } else if (record?.kind === 'compressed' && reader === this.#fileReader) {
        this.#unpack(record);
        break;
      } else if (record !== undefined) {
        hasRecords ||= isOfKernel(record);
        endsRound ||= record.kind === 'finishedRound';
        this.#take(record);
      }
    }
    this.hasRecords ||= hasRecords;
    if (hasRecords) this.endsRound = endsRound;
    return count > 0;
  }

  /** @returns false at the end */
  async #nextBytes(): Promise<boolean> {
    if (this.#unpacking !== undefined) {
      const { chunks, position } = this.#unpacking;
      const { done, value } = await chunks.next();
      if (done) {
        this.#unpacking = undefined;
        this.#reader = this.#fileReader;
      } else {
        this.#reader.push(new Piece(value, position, true));
      }
      return true;
    }
    const { done, value } = await this.#pieces.next();
    if (done) {
      this.#fileReader.finish();
      this.#unpackedReader.finish();
      return false;
    }
    this.#progress.bytesRead = value.positionOf(value.bytes.length);
    this.#fileReader.push(value);
    return true;
  }

  #unpack({ data, offset }: CompressedRecord): void {
    this.#unpacking = { chunks: this.#unpacker.unpack(data, offset), position: offset };
    this.#reader = this.#unpackedReader;
  }

  #takeSample(kind: SampleKind, piece: Piece, start: number, end: number): void {
    if (this.#hasBegun) {
      this.#place(kind, piece, start, end);
      return;
    }
    this.#noteTime(new SampleRecord(kind, piece, start, end).timeNs);
    this.#ahead.add(0, 0, kind, piece, start, end);
  }

  #take(record: PerfRecord): void {
    if (!this.#hasBegun) this.#noteTime(timeOf(record));
    switch (record.kind) {
      case 'finishedRound':
        this.#takeOther(ROUND_END);
        break;
      case 'mmap':
        this.#progress.mappings?.add(record, timeOf(record));
        break;
      case 'comm':
      case 'fork':
        if (record.kind === 'fork') this.#progress.mappings?.addFork(record.pid, record.parentPid);
        if (isNaming(record)) this.#takeOther(record);
        break;
      case 'lost':
        this.#lost += Number(record.count);
        this.#countLost();
        break;
      case 'lostSamples':
        this.#lostSamples += Number(record.count);
        this.#countLost();
        break;
    }
  }

  #takeOther(what: NamingRecord | typeof ROUND_END): void {
    if (!this.#hasBegun) this.#ahead.add(0, 0, what, undefined, 0, 0);
    else if (what === ROUND_END) this.order.finishRound();
    else this.#place(what, undefined, 0, 0);
  }

  /** @returns whether that made some ready */
  #placeAhead(): boolean {
    const rows = this.#ahead;
    while (this.#hasBegun && this.#aheadPlaced < rows.count && !this.order.hasReady) {
      const row = this.#aheadPlaced++;
      const what = rows.what[row] as Taken | typeof ROUND_END;
      if (what === ROUND_END) this.order.finishRound();
      else this.#place(what, rows.pieces[row], rows.starts[row] as number, rows.ends[row] as number);
      if (this.#aheadPlaced === rows.count) rows.clear();
    }
    return this.order.hasReady;
  }

  /**
   * Both count the same losses: one includes lost records of other kinds, the other samples that never reached a
   * buffer.
   */
  #countLost(): void {
    this.#progress.lostEvents = Math.max(this.#lost, this.#lostSamples);
  }

  #noteTime(time: bigint | undefined): void {
    if (time !== undefined && time !== 0n && (this.earliest === 0n || time < this.earliest))
      this.earliest = time;
  }

  /** Adds a sample, or a record that names a process, to the order. */
  #place(what: Taken, piece: Piece | undefined, start: number, end: number): void {
    if (piece === undefined) {
      this.#placeNaming(what as NamingRecord);
      return;
    }
    const { littleEndian, layout } = what as SampleKind;
    if (layout.time !== undefined) {
      const at = start + layout.time;
      const first = piece.view.getUint32(at, littleEndian);
      const second = piece.view.getUint32(at + 4, littleEndian);
      this.#timeHigh = littleEndian ? second : first;
      this.#timeLow = littleEndian ? first : second;
    }
    if (this.order.isLate(this.#timeHigh, this.#timeLow)) this.#progress.lateEvents = ++this.#late;
    this.metadata.preview(what as SampleKind, piece, start, end);
    this.order.add(this.#timeHigh, this.#timeLow, what, piece, start, end);
  }

  #placeNaming(record: NamingRecord): void {
    const time = timeOf(record);
    const high = time === undefined ? this.#timeHigh : highOf(time);
    const low = time === undefined ? this.#timeLow : lowOf(time);
    this.order.add(high, low, record, undefined, 0, 0);
  }
}

function isOfKernel(record: PerfRecord): boolean {
  return record.kind === 'other' ? record.type < FIRST_TYPE_OF_TOOL : record.kind !== 'header';
}

function highOf(time: bigint): number {
  return Number(BigInt.asUintN(64, time) >> 32n);
}

function lowOf(time: bigint): number {
  return Number(BigInt.asUintN(32, time));
}
