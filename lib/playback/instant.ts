/** Points in time, as callers may specify them. */
import { inspect } from 'node:util';
import type { Nanoseconds } from '../trace/trace-event.ts';
import { PlaybackError } from './playback-error.ts';

/** Nanoseconds since 1970-01-01 UTC (for a trace without wall-clock time: on its clock), or a date. */
export type Instant = Nanoseconds | Date;

/** @param what the name of the value for the error */
export function nanosecondsOf(instant: Instant, what: string): Nanoseconds {
  if (typeof instant === 'bigint') return instant;
  const milliseconds = instant instanceof Date ? instant.getTime() : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw new PlaybackError(
      `${what} must be nanoseconds since 1970 as a bigint, or a valid Date, not ${inspect(instant)}.`,
    );
  }
  return BigInt(milliseconds) * 1_000_000n;
}
