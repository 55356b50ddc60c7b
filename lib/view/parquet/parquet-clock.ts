/** Times of a trace as Parquet has them: nanoseconds since 1970, and the day, which is a partition. */
const DAY_NS = 86_400_000_000_000n;

export class ParquetClock {
  readonly startTime: bigint;
  #day = 0;
  #dayStart = 0n;
  #dayEnd = -1n;

  constructor(startTime: bigint) {
    this.startTime = BigInt.asIntN(64, startTime);
  }

  /** @param ns since the start of the trace */
  time(ns: number): bigint {
    return BigInt.asIntN(64, this.startTime + BigInt(Math.round(ns)));
  }

  /** Since 1970. */
  dayOf(time: bigint): number {
    if (time < this.#dayStart || time >= this.#dayEnd) {
      const rest = time % DAY_NS;
      this.#dayStart = time - rest - (rest < 0n ? DAY_NS : 0n);
      this.#dayEnd = this.#dayStart + DAY_NS;
      this.#day = Number(this.#dayStart / DAY_NS);
    }
    return this.#day;
  }
}
