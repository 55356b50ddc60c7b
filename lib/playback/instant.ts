/** Points of time, as callers may give them. */
import { inspect } from 'node:util';
import type { Nanoseconds } from '../trace/trace-event.ts';
import { PlaybackError } from './playback-error.ts';

/** Nanoseconds since 1970-01-01 UTC (of a trace without the time of day: of its clock), or a date. */
export type Instant = Nanoseconds | Date;

/** @param what names the value in the error */
export function nanosecondsOf(instant: Instant, what: string): Nanoseconds {
  if (typeof instant === 'bigint') return instant;
  const milliseconds = instant instanceof Date ? instant.getTime() : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw new PlaybackError(
      `${what} is given in nanoseconds since 1970 as a bigint, or as a valid Date, not as ${inspect(instant)}.`,
    );
  }
  return BigInt(milliseconds) * 1_000_000n;
}
