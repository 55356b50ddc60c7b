/** The time of an event, for those who get it inside the process. The kernel stamps its own. */

/** From the monotonic clock to the wall clock, both in nanoseconds, as it was when this thread started. */
export const CLOCK_OFFSET: bigint = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();

/** Nanoseconds since 1970; never goes back, and so does not follow later changes of the wall clock. */
export function timestamp(): bigint {
  return timestampOf(process.hrtime.bigint());
}

/** The same for another time of the monotonic clock. */
export function timestampOf(hrtime: bigint): bigint {
  return hrtime + CLOCK_OFFSET;
}
