/**
 * `perf_event_attr` with which a recording opens its events; the same bytes go into its file. Samples contain the same
 * as those of `perf record -a -k mono`. Source: Linux `perf_event.h`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { PerfType, ReadFormat, SampleType } from '../constants.ts';

/** PERF_ATTR_SIZE_VER3, the first with the clock's id: supported even by tools that know no later one. */
export const ATTR_SIZE = 96;

/** PERF_COUNT_SW_CPU_CLOCK: a timer on each processor. */
const CPU_CLOCK = 0n;
/** PERF_COUNT_SW_DUMMY: counts nothing, and provides the side-band records. */
const DUMMY = 9n;

const SAMPLE_TYPE =
  SampleType.Ip |
  SampleType.Tid |
  SampleType.Time |
  SampleType.Cpu |
  SampleType.Period |
  SampleType.Identifier;

/** The position of the time in such a sample: after header, identifier, ip, and pid with tid. */
export const SAMPLE_TIME_OFFSET = 32;

const READ_FORMAT = ReadFormat.Id | ReadFormat.Lost;

/** CLOCK_MONOTONIC. */
export const CLOCK_ID = 1;

/** Numbers of the flag bits. */
const Flag = {
  Disabled: 0n,
  Inherit: 1n,
  ExcludeKernel: 5n,
  ExcludeHypervisor: 6n,
  ExcludeIdle: 7n,
  Mmap: 8n,
  Comm: 9n,
  Frequency: 10n,
  EnableOnExec: 12n,
  Task: 13n,
  Watermark: 14n,
  SampleIdAll: 18n,
  ExcludeGuest: 20n,
  Mmap2: 23n,
  CommExec: 24n,
  UseClockId: 25n,
  WriteBackward: 27n,
  BuildId: 34n,
} as const;

const flags = (...bits: readonly bigint[]) => bits.reduce((word, bit) => word | (1n << bit), 0n);

/** Executable mappings, with build ids. */
const MAPPINGS = flags(Flag.Mmap, Flag.Mmap2, Flag.BuildId);

/** Whose events are recorded: all threads', those of given threads and all they start, or of programs they start. */
export type EventScope = 'system' | 'threads' | 'programs';

export interface ScopeOptions {
  readonly scope: EventScope;
  /** Leaves out what happens in the kernel, which this user may not know. */
  readonly excludesKernel: boolean;
}

export const WHOLE_SYSTEM: ScopeOptions = { scope: 'system', excludesKernel: false };

/**
 * Every event of a tracepoint, with its data.
 *
 * @param isOverwritten whether it goes into a ring whose oldest records are overwritten; the same below
 */
export function tracepointAttr(id: number, isOverwritten = false): Uint8Array {
  const flagBits = isOverwritten ? flags(Flag.WriteBackward) : 0n;
  return attr(PerfType.Tracepoint, BigInt(id), { sampleType: SAMPLE_TYPE | SampleType.Raw, flagBits });
}

/** Owns a ring whose oldest records are overwritten, and writes nothing to it. */
export function overwrittenRingAttr(scope: ScopeOptions): Uint8Array {
  const flagBits = flags(Flag.WriteBackward) | scopeFlags(scope);
  return attr(PerfType.Software, DUMMY, { sampleType: SAMPLE_TYPE, flagBits });
}

/**
 * Names of threads, starts and ends of threads, and optionally which code is mapped.
 *
 * @param watermark how many bytes in the ring wake its reader
 */
export function sideBandAttr(
  watermark: number,
  scope: ScopeOptions = WHOLE_SYSTEM,
  hasMappings = false,
): Uint8Array {
  return attr(PerfType.Software, DUMMY, {
    sampleType: SAMPLE_TYPE | SampleType.Raw,
    flagBits:
      flags(Flag.Comm, Flag.Task, Flag.Watermark, Flag.CommExec) |
      (hasMappings ? MAPPINGS : 0n) |
      scopeFlags(scope),
    watermark,
  });
}

/** The stacks of what runs on the processors, this many times per second, and optionally which code is mapped. */
export function cpuSampleAttr(
  frequency: number,
  scope: ScopeOptions,
  hasMappings: boolean,
  isOverwritten: boolean,
): Uint8Array {
  return attr(PerfType.Software, CPU_CLOCK, {
    sampleType: SAMPLE_TYPE | SampleType.Callchain,
    flagBits:
      flags(Flag.Frequency, Flag.ExcludeIdle, Flag.ExcludeGuest) |
      (hasMappings ? MAPPINGS : 0n) |
      (isOverwritten ? flags(Flag.WriteBackward) : 0n) |
      scopeFlags(scope),
    period: frequency,
  });
}

function scopeFlags({ scope, excludesKernel }: ScopeOptions): bigint {
  return (
    (scope === 'system' ? 0n : flags(Flag.Inherit)) |
    (scope === 'programs' ? flags(Flag.EnableOnExec) : 0n) |
    (excludesKernel ? flags(Flag.ExcludeKernel, Flag.ExcludeHypervisor) : 0n)
  );
}

interface AttrParts {
  readonly sampleType: bigint;
  readonly flagBits?: bigint;
  /** The period is each event by default; with `Frequency` it is that. */
  readonly period?: number;
  readonly watermark?: number;
}

const COMMON_FLAGS = flags(Flag.Disabled, Flag.SampleIdAll, Flag.UseClockId);

function attr(
  type: number,
  config: bigint,
  { sampleType, flagBits = 0n, period = 1, watermark = 0 }: AttrParts,
): Uint8Array {
  return new ByteWriter()
    .uint32(type)
    .uint32(ATTR_SIZE)
    .uint64(config)
    .uint64(period)
    .uint64(sampleType)
    .uint64(READ_FORMAT)
    .uint64(COMMON_FLAGS | flagBits)
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
