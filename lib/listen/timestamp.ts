/** The time of an event, for receivers inside the process. The kernel uses its own. */

/** From the monotonic clock to the wall clock, both in nanoseconds, as of the start of this thread. */
export const CLOCK_OFFSET: bigint = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();

/** Nanoseconds since 1970; never goes back, and so does not follow later changes of the wall clock. */
export function timestamp(): bigint {
  return timestampOf(process.hrtime.bigint());
}

/** The same for another time of the monotonic clock. */
export function timestampOf(hrtime: bigint): bigint {
  return hrtime + CLOCK_OFFSET;
}
