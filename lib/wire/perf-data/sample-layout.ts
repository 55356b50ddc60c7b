/**
 * The positions of the fixed-size fields in samples: the attribute's `sample_type` says which there are; their order is
 * fixed. Source: Linux `perf_event.h`, PERF_RECORD_SAMPLE.
 */
import { SampleType } from './constants.ts';

/** From the start of the body, in bytes; undefined if samples have no such field. Each takes 8 bytes. */
export interface SampleLayout {
  readonly ip: number | undefined;
  /** Process and thread, u32 each. */
  readonly tid: number | undefined;
  readonly time: number | undefined;
  readonly addr: number | undefined;
  readonly id: number | undefined;
  readonly cpu: number | undefined;
  readonly period: number | undefined;
  /** Of all of them: where the fields of variable size start. */
  readonly size: number;
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

export function sampleLayout(sampleType: bigint): SampleLayout {
  const fields = FIELDS.filter((bit) => (sampleType & bit) !== 0n);
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
  };
}
