/**
 * The positions of the fixed-size fields in samples: the attribute's `sample_type` says which there are; their order is
 * fixed. Source: Linux `perf_event.h`, PERF_RECORD_SAMPLE.
 */
import { ReadFormat, SampleType } from './constants.ts';

/** Offsets count bytes from the start of the body; undefined if samples have no such field. Each takes 8 bytes. */
export interface SampleLayout {
  readonly ip: number | undefined;
  /** Process and thread, u32 each. */
  readonly tid: number | undefined;
  readonly time: number | undefined;
  readonly addr: number | undefined;
  readonly id: number | undefined;
  readonly cpu: number | undefined;
  readonly period: number | undefined;
  /** The size of all of them: where the fields of variable size start. */
  readonly size: number;
  /** The variable-size fields, in this order: counter readings, addresses, a tracepoint's data. */
  readonly counters: CounterLayout | undefined;
  readonly hasCallchain: boolean;
  readonly hasRaw: boolean;
}

/** Readings of the sample's counter, or of all in its group, preceded by their number. */
interface CounterLayout {
  readonly isGroup: boolean;
  /** Bytes for all readings together, and for each. */
  readonly common: number;
  readonly each: number;
}

const FIELDS = [
  SampleType.Identifier,
  SampleType.Ip,
  SampleType.Tid,
  SampleType.Time,
  SampleType.Addr,
  SampleType.Id,
  SampleType.StreamId,
  SampleType.Cpu,
  SampleType.Period,
];

export function sampleLayout(sampleType: bigint, readFormat: bigint): SampleLayout {
  const has = (bit: bigint) => (sampleType & bit) !== 0n;
  const fields = FIELDS.filter(has);
  const offsetOf = (bit: bigint) => (fields.includes(bit) ? 8 * fields.indexOf(bit) : undefined);
  return {
    ip: offsetOf(SampleType.Ip),
    tid: offsetOf(SampleType.Tid),
    time: offsetOf(SampleType.Time),
    addr: offsetOf(SampleType.Addr),
    // If there are two, the first is at the same position for all attributes.
    id: offsetOf(SampleType.Identifier) ?? offsetOf(SampleType.Id),
    cpu: offsetOf(SampleType.Cpu),
    period: offsetOf(SampleType.Period),
    size: 8 * fields.length,
    counters: has(SampleType.Read) ? counterLayout(readFormat) : undefined,
    hasCallchain: has(SampleType.Callchain),
    hasRaw: has(SampleType.Raw),
  };
}

function counterLayout(format: bigint): CounterLayout {
  const size = (bits: readonly bigint[]) => 8 * bits.filter((bit) => (format & bit) !== 0n).length;
  return {
    isGroup: (format & ReadFormat.Group) !== 0n,
    common: size([ReadFormat.TotalTimeEnabled, ReadFormat.TotalTimeRunning]),
    each: 8 + size([ReadFormat.Id, ReadFormat.Lost]),
  };
}
