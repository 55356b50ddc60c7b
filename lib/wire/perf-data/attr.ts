/** `perf_event_attr`: what was recorded, and what its samples contain. Source: Linux `perf_event.h`. */
import { TraceError } from '../trace-error.ts';
import type { Cursor } from './cursor.ts';
import { type SampleLayout, sampleLayout } from './sample-layout.ts';

/** Bit numbers among the attribute's flags. */
const PRECISE_IP_BITS = [15n, 2n] as const;
const SAMPLE_ID_ALL_BIT = 18n;
const EXCLUDE_BITS = [
  ['user', 4n],
  ['kernel', 5n],
  ['hv', 6n],
  ['host', 19n],
  ['guest', 20n],
] as const;
const FLAG_BITS = 64n;
/** The size of the structure's first version; no later one is smaller. */
const MIN_ATTR_SIZE = 64;

export interface PerfAttr {
  /** See `PerfType`. */
  readonly type: number;
  /** The id of a tracepoint. */
  readonly config: bigint;
  /** See `SampleType`. */
  readonly sampleType: bigint;
  readonly layout: SampleLayout;
  /** See `ReadFormat`. */
  readonly readFormat: bigint;
  /** Records that are not samples end with the ids and the time of their event. */
  readonly sampleIdAll: boolean;
  /** What is excluded from counting: `user`, `kernel`, `hv` (hypervisor), `host`, `guest`. */
  readonly excludes: ReadonlySet<string>;
  /** 0 to 3: how close to the event the sampled address is. */
  readonly preciseIp: number;
  /** A breakpoint counts these accesses (HW_BREAKPOINT_*), at this address. */
  readonly breakpointType: number;
  readonly breakpointAddress: bigint;
  /** Samples identify their attribute by these. */
  readonly ids: readonly bigint[];
}

/**
 * Reads one `perf_event_attr`; additions of newer kernels at the end are skipped.
 *
 * @param size of the structure here; if omitted, the structure's own size field applies
 */
export function readAttr(cursor: Cursor, size?: number): Omit<PerfAttr, 'ids'> {
  const start = cursor.offset;
  const at = cursor.position;
  const type = cursor.uint32();
  const ownSize = cursor.uint32();
  const config = cursor.uint64();
  cursor.skip(8); // sample_period or sample_freq
  const sampleType = cursor.uint64();
  const readFormat = cursor.uint64();
  const flags = cursor.uint64();
  cursor.skip(4); // wakeup
  const breakpointType = cursor.uint32();
  const breakpointAddress = cursor.uint64();
  const total = size ?? ownSize;
  if (total < MIN_ATTR_SIZE) {
    throw new TraceError('malformed', at, `An attribute cannot have ${total} bytes.`);
  }
  cursor.skip(total - (cursor.offset - start));
  // The flags are C bit fields, which start at the other end on big-endian machines.
  const bits = (first: bigint, count = 1n) =>
    Number((flags >> (cursor.littleEndian ? first : FLAG_BITS - first - count)) & ((1n << count) - 1n));
  return {
    type,
    config,
    sampleType,
    layout: sampleLayout(sampleType, readFormat),
    readFormat,
    sampleIdAll: bits(SAMPLE_ID_ALL_BIT) === 1,
    excludes: new Set(EXCLUDE_BITS.filter(([, bit]) => bits(bit) === 1).map(([what]) => what)),
    preciseIp: bits(...PRECISE_IP_BITS),
    breakpointType,
    breakpointAddress,
  };
}

/** The ids of an attribute, up to the cursor's end. */
export function readIdList(cursor: Cursor): bigint[] {
  const ids: bigint[] = [];
  while (cursor.left >= 8) ids.push(cursor.uint64());
  return ids;
}
