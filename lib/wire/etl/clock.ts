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
  readonly #header: LogFileHeader;
  readonly #startTime: bigint;
  readonly #multiplier: bigint;
  readonly #divisor: bigint;

  constructor(header: LogFileHeader) {
    this.#header = header;
    this.start = rawTime(header.rawTime);
    [this.#multiplier, this.#divisor] = scaleOf(header);
    this.#startTime = startTimeOf(header, this.#multiplier, this.#divisor);
  }

  /** When the log starts, in nanoseconds since 1970. */
  get startTime(): bigint {
    return nanosecondsOf(this.#startTime);
  }

  /** Whether the raw times of another log are on the same counter, since the same start of Windows. */
  isSharedWith({ clockType, performanceFrequency, cpuMHz, bootTime }: LogFileHeader): boolean {
    const own = this.#header;
    return (
      clockType === own.clockType &&
      performanceFrequency === own.performanceFrequency &&
      (clockType !== ClockType.CpuCycles || cpuMHz === own.cpuMHz) &&
      bootTime === own.bootTime
    );
  }

  /**
   * The raw time in another log that is `start` in this one. Logs of different starts of Windows have only the time of
   * day in common.
   *
   * @returns undefined if the units of the times differ
   */
  startIn(header: LogFileHeader): RawTime | undefined {
    if (this.isSharedWith(header)) return this.start;
    const [multiplier, divisor] = scaleOf(header);
    if (multiplier * this.#divisor !== this.#multiplier * divisor) return undefined;
    const later = startTimeOf(header, multiplier, divisor) - this.#startTime;
    return rawTime(header.rawTime - (later * divisor) / multiplier);
  }

  /** Nanoseconds since 1970 at which another log on the same counter starts. */
  startTimeOf(header: LogFileHeader): bigint {
    return this.nanoseconds(Number(header.rawTime - this.#header.rawTime));
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

function rawTime(ticks: bigint): RawTime {
  return { high: Number(ticks >> 32n), low: Number(ticks & 0xffff_ffffn) };
}

/** A log started before Windows knew the time has none of its own; the counter starts at zero with Windows. */
function startTimeOf(
  { startTime, bootTime, rawTime }: LogFileHeader,
  multiplier: bigint,
  divisor: bigint,
): bigint {
  return startTime > 0n || bootTime <= 0n ? startTime : bootTime + (rawTime * multiplier) / divisor;
}

/** Units of 100 ns per tick, as a fraction. An impossible value counts as 100 ns per tick. */
function scaleOf({ clockType, performanceFrequency, cpuMHz }: LogFileHeader): [bigint, bigint] {
  if (clockType === ClockType.CpuCycles && cpuMHz > 0) return [UNITS_PER_MICROSECOND, BigInt(cpuMHz)];
  if (clockType === ClockType.PerformanceCounter && performanceFrequency > 0n) {
    return [UNITS_PER_SECOND, performanceFrequency];
  }
  return [1n, 1n];
}
