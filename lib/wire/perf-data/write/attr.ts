/**
 * `perf_event_attr` with which a recording opens its events; the same bytes go into its file. Samples contain the same
 * as those of `perf record -a -k mono`. Source: Linux `perf_event.h`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { PerfType, ReadFormat, SampleType } from '../constants.ts';

/** PERF_ATTR_SIZE_VER3, the first with the clock's id: supported even by tools that know no later one. */
export const ATTR_SIZE = 96;

const PERF_TYPE_SOFTWARE = 1;
/** PERF_COUNT_SW_DUMMY: counts nothing, and provides the side-band records. */
const DUMMY = 9n;

const SAMPLE_TYPE =
  SampleType.Ip |
  SampleType.Tid |
  SampleType.Time |
  SampleType.Cpu |
  SampleType.Period |
  SampleType.Raw |
  SampleType.Identifier;

/** The position of the time in such a sample: after header, identifier, ip, and pid with tid. */
export const SAMPLE_TIME_OFFSET = 32;

const READ_FORMAT = ReadFormat.Id | ReadFormat.Lost;

/** CLOCK_MONOTONIC. */
export const CLOCK_ID = 1;

/** Numbers of the flag bits. */
const Flag = {
  Disabled: 0n,
  Mmap: 8n,
  Comm: 9n,
  Task: 13n,
  Watermark: 14n,
  SampleIdAll: 18n,
  Mmap2: 23n,
  CommExec: 24n,
  UseClockId: 25n,
} as const;

const flags = (...bits: readonly bigint[]) => bits.reduce((word, bit) => word | (1n << bit), 0n);

/** Every event of a tracepoint, with its data. */
export function tracepointAttr(id: number): Uint8Array {
  return attr(PerfType.Tracepoint, BigInt(id), flags(Flag.Disabled, Flag.SampleIdAll, Flag.UseClockId), 0);
}

/**
 * Names of threads, starts and ends of threads, and executable mappings.
 *
 * @param watermark how many bytes in the ring wake its reader
 */
export function sideBandAttr(watermark: number): Uint8Array {
  const wanted = flags(
    Flag.Disabled,
    Flag.Mmap,
    Flag.Comm,
    Flag.Task,
    Flag.Watermark,
    Flag.SampleIdAll,
    Flag.Mmap2,
    Flag.CommExec,
    Flag.UseClockId,
  );
  return attr(PERF_TYPE_SOFTWARE, DUMMY, wanted, watermark);
}

function attr(type: number, config: bigint, flagBits: bigint, watermark: number): Uint8Array {
  return new ByteWriter()
    .uint32(type)
    .uint32(ATTR_SIZE)
    .uint64(config)
    .uint64(1) // sample_period: each event
    .uint64(SAMPLE_TYPE)
    .uint64(READ_FORMAT)
    .uint64(flagBits)
    .uint32(watermark)
    .uint32(0) // bp_type
    .uint64(0) // config1
    .uint64(0) // config2
    .uint64(0) // branch_sample_type
    .uint64(0) // sample_regs_user
    .uint32(0) // sample_stack_user
    .uint32(CLOCK_ID)
    .current();
}
