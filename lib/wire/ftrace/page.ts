/**
 * The events in a page of ftrace's ring buffer, as `trace_pipe_raw` returns it, from a little-endian kernel. Source:
 * Linux `include/linux/ring_buffer.h` (kinds of entries) and `kernel/trace/ring_buffer.c` (`struct buffer_data_page`,
 * the flags for lost events).
 */

import { viewOf } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import type { PageLayout } from './page-layout.ts';

export interface FtraceEvent {
  /** The time on the clock of the trace instance. */
  readonly time: bigint;
  /** A view of the page, from `common_type` on; up to three trailing bytes are padding. */
  readonly raw: Uint8Array;
}

interface FtracePage {
  readonly time: bigint;
  /** Events overwritten before this page; `undefined` if some were, but it is not known how many. */
  readonly lostBefore: number | undefined;
  readonly events: readonly FtraceEvent[];
}

/** The fields that begin every event: `common_type` u16, flags, preempt count, `common_pid` i32. */
const TYPE_OFFSET = 0;
const THREAD_OFFSET = 4;
const COMMON_SIZE = 8;

/** The event's tracepoint and thread; undefined if the event is too short to contain them. */
export function commonFields(raw: Uint8Array): { readonly type: number; readonly tid: number } | undefined {
  if (raw.length < COMMON_SIZE) return undefined;
  const view = viewOf(raw);
  return { type: view.getUint16(TYPE_OFFSET, true), tid: view.getInt32(THREAD_OFFSET, true) };
}

/** Each entry starts with a word: 5 bits of kind, or of length in words, and 27 bits of time. */
const WORD = 4;
const KIND_MASK = 31;
const TIME_BITS = 5;
const TIME_SHIFT = 27n;
const Kind = {
  /** The length is in the next word, which it includes. */
  Long: 0,
  Padding: 29,
  /** The entry holds more of the time since the previous one. */
  TimeExtend: 30,
  /** The time itself, except for its highest bits. */
  TimeStamp: 31,
} as const;

const STAMP_BITS = 59n;
const STAMP_LIMIT = 1n << STAMP_BITS;

/** Masks the word that says how much of the page is used. */
const USED_MASK = (1 << 27) - 1;
const LOST_EVENTS = 0x8000_0000;
const LOST_COUNT_STORED = 0x4000_0000;

/** @throws TraceError with offsets in the page */
export function readPage(page: Uint8Array, layout: PageLayout): FtracePage {
  if (page.length < layout.dataOffset) {
    throw new TraceError('truncated', page.length, `A page of ${page.length} bytes ends inside its header.`);
  }
  const view = viewOf(page);
  const commit = view.getUint32(layout.commitOffset, true);
  const end = layout.dataOffset + (commit & USED_MASK);
  if (end > page.length) {
    const used = end - layout.dataOffset;
    throw new TraceError(
      'malformed',
      layout.commitOffset,
      `A page of ${page.length} bytes cannot have ${used} bytes of events.`,
    );
  }
  const time = view.getBigUint64(layout.timeOffset, true);
  const lostBefore = (commit & LOST_EVENTS) === 0 ? 0 : storedCount(view, layout, commit, end);
  return { time, lostBefore, events: readEvents(page, view, layout.dataOffset, end, time) };
}

/** It follows the events, if there was room. */
function storedCount(view: DataView, layout: PageLayout, commit: number, at: number): number | undefined {
  if ((commit & LOST_COUNT_STORED) === 0) return undefined;
  if (at + layout.commitSize > view.byteLength) {
    throw new TraceError('truncated', at, 'The number of lost events is beyond the end of the page.');
  }
  const count = layout.commitSize === 8 ? Number(view.getBigUint64(at, true)) : view.getUint32(at, true);
  if (!Number.isSafeInteger(count)) {
    throw new TraceError('malformed', at, `${count} events cannot have been lost.`);
  }
  return count;
}

function readEvents(
  page: Uint8Array,
  view: DataView,
  start: number,
  end: number,
  pageTime: bigint,
): FtraceEvent[] {
  const events: FtraceEvent[] = [];
  let time = pageTime;
  for (let at = start; at < end; ) {
    const head = wordAt(view, at, end);
    const kind = head & KIND_MASK;
    const delta = head >>> TIME_BITS;
    // The rest of the page.
    if (kind === Kind.Padding && delta === 0) break;
    if (kind === Kind.TimeStamp) {
      time = fullTime(longTime(delta, wordAt(view, at + WORD, end)), time);
      at += 2 * WORD;
      continue;
    }
    if (kind === Kind.TimeExtend) {
      time += longTime(delta, wordAt(view, at + WORD, end));
      at += 2 * WORD;
      continue;
    }
    time += BigInt(delta);
    const isLong = kind === Kind.Long || kind === Kind.Padding;
    const length = isLong ? wordAt(view, at + WORD, end) : kind * WORD;
    const next = at + WORD + WORD * Math.ceil(length / WORD);
    if (next > end || (kind === Kind.Long && length < WORD)) {
      throw new TraceError(
        'malformed',
        at,
        `An entry cannot have ${length} bytes, ${end - at} before the end of the page's events.`,
      );
    }
    // Padding with a time is an event that was discarded.
    if (kind !== Kind.Padding) {
      const data = at + (isLong ? 2 : 1) * WORD;
      events.push({ time, raw: page.subarray(data, at + WORD + length) });
    }
    at = next;
  }
  return events;
}

function wordAt(view: DataView, at: number, end: number): number {
  if (at + WORD > end) {
    throw new TraceError('truncated', at, "An entry extends beyond the end of the page's events.");
  }
  return view.getUint32(at, true);
}

function longTime(low: number, high: number): bigint {
  return (BigInt(high) << TIME_SHIFT) + BigInt(low);
}

/** Takes the highest bits, for which a time stamp has no room, from the previous time. */
function fullTime(stamp: bigint, before: bigint): bigint {
  const low = stamp % STAMP_LIMIT;
  const full = ((before >> STAMP_BITS) << STAMP_BITS) + low;
  // A clock near zero may step back; otherwise the lower bits have overflowed.
  return full < before && full >= STAMP_LIMIT ? full + STAMP_LIMIT : full;
}
