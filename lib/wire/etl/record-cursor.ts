/**
 * Iterates over the records of a buffer, reading only where each ends and its time.
 *
 * A record starts at a multiple of 8 with a marker u32: its fourth byte distinguishes messages from other records, its
 * third is the type. See `record-type.ts` for the rest.
 */
import { TraceError } from '../trace-error.ts';
import type { EtlBuffer, EtlRecord } from './buffer.ts';
import { BUFFER_HEADER_SIZE, MESSAGE_MARK, PADDING_MARKER, RECORD_MARK, RecordType } from './constants.ts';
import { messageTimeOffset } from './message.ts';
import { Layout, layoutOf, type RecordLayout } from './record-type.ts';

const MARKER_SIZE = 8;
const TWO_TO_32 = 2 ** 32;
/** Kernel records only: flags in the upper byte of the version. */
const HAS_COUNTERS = 0x8000;

/** The raw time from which others are counted, as two halves. */
export interface RawTime {
  readonly high: number;
  readonly low: number;
}

export class RecordCursor implements EtlRecord {
  readonly buffer: EtlBuffer;
  offset = 0;
  end: number = BUFFER_HEADER_SIZE;
  type = 0;
  layout: Layout = Layout.Skipped;
  /**
   * Raw time since the start of the trace, in units of its clock. Exact up to 2^53: 28 years of system time, or a month
   * of cycles of a fast processor. If a record has no time, that of the previous one.
   */
  ticks = 0;
  /** Why the records end before the buffer does. */
  problem: TraceError | undefined;
  readonly #start: RawTime;

  constructor(buffer: EtlBuffer, start: RawTime) {
    this.buffer = buffer;
    this.#start = start;
    this.problem = buffer.problem;
  }

  /** Moves to the next record that is an event. */
  next(): boolean {
    do {
      if (!this.#advance()) return false;
    } while (this.layout === Layout.Skipped);
    return true;
  }

  /** Moves to the record at `offset`, which this cursor has visited before. */
  seek(offset: number): void {
    this.end = offset;
    this.#advance();
  }

  #advance(): boolean {
    const { view } = this.buffer;
    const offset = (this.end + 7) & ~7;
    // Anything shorter than a record is the rest of the buffer.
    if (offset + MARKER_SIZE > view.byteLength) return false;
    const marker = view.getUint32(offset, true);
    if (marker === PADDING_MARKER) return false;
    const mark = marker >>> 24;
    const type = mark === MESSAGE_MARK ? RecordType.Message : (marker >>> 16) & 0xff;
    const layout = mark === RECORD_MARK || mark === MESSAGE_MARK ? layoutOf(type) : undefined;
    if (layout === undefined) {
      return this.#fail(offset, `A record cannot start with 0x${marker.toString(16).padStart(8, '0')}.`);
    }
    const size = view.getUint16(offset + layout.sizeOffset, true);
    const headerSize = layout.headerSize + (layout.sizeOffset === 4 ? countersSize(marker) : 0);
    const left = view.byteLength - offset;
    if (size < headerSize || size > left) {
      // In a truncated buffer, the last record usually is, too: that has been reported already.
      if (size > left && this.problem !== undefined) return false;
      return this.#fail(
        offset,
        `A record of type 0x${type.toString(16)} cannot have ${size} bytes: its header has ${headerSize}, and ${left} bytes of the buffer are left.`,
      );
    }
    this.offset = offset;
    this.end = offset + size;
    this.type = type;
    this.layout = layout.layout;
    this.#readTime(view, offset, layout);
    return true;
  }

  #readTime(view: DataView, offset: number, layout: RecordLayout): void {
    const timeOffset = layout.layout === Layout.Message ? messageTimeOffset(this) : layout.timeOffset;
    if (timeOffset === 0) return;
    this.ticks = ticksAt(view, offset + timeOffset, this.#start);
  }

  #fail(offset: number, sentence: string): false {
    this.problem ??= new TraceError('malformed', this.buffer.position + offset, sentence);
    return false;
  }
}

/** The size of the performance counters after the header of a kernel record whose marker has this lower half. */
export function countersSize(version: number): number {
  return ((version & HAS_COUNTERS) === 0 ? 0 : 8) + 8 * ((version >>> 8) & 7);
}

/** The raw time at `offset`, as ticks since the start: see `RecordCursor.ticks`. */
export function ticksAt(view: DataView, offset: number, start: RawTime): number {
  const low = view.getUint32(offset, true);
  const high = view.getInt32(offset + 4, true);
  return (high - start.high) * TWO_TO_32 + (low - start.low);
}
