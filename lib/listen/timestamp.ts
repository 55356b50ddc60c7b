/** The time of an event, for receivers inside the process. The kernel uses its own. */

/** A thread that is interrupted between reading two clocks puts them apart; hardly ever is it each time. */
const READINGS = 3;

/** Kept, because `process` is a getter of the global object, and an event would call it each time. */
const { bigint: monotonicTime } = process.hrtime;

/** Added to the monotonic clock, this gives the wall clock, both in nanoseconds, as of the start of this thread. */
export const CLOCK_OFFSET: bigint = clockOffset();

function clockOffset(): bigint {
  let offset = 0n;
  let shortest: bigint | undefined;
  for (let reading = 0; reading < READINGS; reading++) {
    const before = monotonicTime();
    const wall = BigInt(Date.now()) * 1_000_000n;
    const duration = monotonicTime() - before;
    if (shortest !== undefined && duration >= shortest) continue;
    shortest = duration;
    offset = wall - before;
  }
  return offset;
}

/** Nanoseconds since 1970; never goes back, and so does not follow later changes of the wall clock. */
export function timestamp(): bigint {
  return timestampOf(monotonicTime());
}

const NS_PER_MS = 1e6;

/** Milliseconds from such a time until now. */
export function msSince(time: bigint): number {
  return Number(timestamp() - time) / NS_PER_MS;
}

/** Converts a time of the monotonic clock. */
export function timestampOf(hrtime: bigint): bigint {
  return hrtime + CLOCK_OFFSET;
}
