/**
 * `perf_event_attr`: what was recorded, and what its samples hold. Source: Linux `perf_event.h`.
 */
import type { Cursor } from './cursor.ts';

/** Bit numbers among the attribute's flags. */
const SAMPLE_ID_ALL_BIT = 18n;
const FLAG_BITS = 64n;

export interface PerfAttr {
  /** 2: a tracepoint. */
  readonly type: number;
  /** Of a tracepoint: its id. */
  readonly config: bigint;
  /** See `SampleType`. */
  readonly sampleType: bigint;
  /** See `ReadFormat`. */
  readonly readFormat: bigint;
  /** Records that are not samples end with the ids and the time of their event. */
  readonly sampleIdAll: boolean;
  /** Samples tell by these which attribute they are of. */
  readonly ids: readonly bigint[];
  /** Such as `user_events:MyProvider_L4K1`, if the file names it. */
  readonly name?: string;
}

/** Reads one `perf_event_attr`; what newer kernels have added behind is left unread. */
export function readAttr(cursor: Cursor): Omit<PerfAttr, 'ids'> {
  const type = cursor.uint32();
  cursor.skip(4); // size
  const config = cursor.uint64();
  cursor.skip(8); // sample_period or sample_freq
  const sampleType = cursor.uint64();
  const readFormat = cursor.uint64();
  const flags = cursor.uint64();
  // The flags are C bit fields, which start at the other end on big-endian machines.
  const bit = cursor.littleEndian ? SAMPLE_ID_ALL_BIT : FLAG_BITS - 1n - SAMPLE_ID_ALL_BIT;
  return { type, config, sampleType, readFormat, sampleIdAll: ((flags >> bit) & 1n) === 1n };
}
