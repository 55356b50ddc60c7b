/** Converts the raw times of records to wall-clock time, as Windows itself computes it. */
import { ClockType } from './constants.ts';
import type { LogFileHeader } from './log-file-header.ts';
import type { RawTime } from './record-cursor.ts';

/** 1970-01-01 as a FILETIME: units of 100 ns since 1601. */
const UNIX_EPOCH = 116_444_736_000_000_000n;
const NANOSECONDS_PER_UNIT = 100n;
const UNITS_PER_SECOND = 10_000_000n;
/** A 1 MHz CPU takes a microsecond per cycle. */
const UNITS_PER_MICROSECOND = 10n;

/** A FILETIME as nanoseconds since 1970. */
export function nanosecondsOf(fileTime: bigint): bigint {
  return (fileTime - UNIX_EPOCH) * NANOSECONDS_PER_UNIT;
}

export class EtlClock {
  /** The raw time from which `ticks` are counted. */
  readonly start: RawTime;
  readonly #startTime: bigint;
  readonly #multiplier: bigint;
  readonly #divisor: bigint;

  constructor(header: LogFileHeader) {
    const { rawTime, startTime } = header;
    this.start = { high: Number(rawTime >> 32n), low: Number(rawTime & 0xffff_ffffn) };
    this.#startTime = startTime;
    [this.#multiplier, this.#divisor] = scaleOf(header);
  }

  /** The FILETIME of a raw time, given as ticks since the start. */
  fileTime(ticks: number): bigint {
    return this.#startTime + (BigInt(ticks) * this.#multiplier) / this.#divisor;
  }

  /** Nanoseconds since 1970. */
  nanoseconds(ticks: number): bigint {
    return nanosecondsOf(this.fileTime(ticks));
  }
}

/** Units of 100 ns per tick, as a fraction. An impossible value counts as 100 ns per tick. */
function scaleOf({ clockType, performanceFrequency, cpuMHz }: LogFileHeader): [bigint, bigint] {
  if (clockType === ClockType.CpuCycles && cpuMHz > 0) return [UNITS_PER_MICROSECOND, BigInt(cpuMHz)];
  if (clockType === ClockType.PerformanceCounter && performanceFrequency > 0n) {
    return [UNITS_PER_SECOND, performanceFrequency];
  }
  return [1n, 1n];
}
