/** The distribution of the values of one interval, in little memory: each quantile is accurate to half a percent. */

/** The middle of a bucket is this many times that of the one before. */
const GROWTH = 1.01;
const LOG_GROWTH = Math.log(GROWTH);
const MAX_INT32 = 0x7fff_ffff;

export class HistogramBuckets {
  /** The counts, by the exponent of the nearest bucket. */
  readonly #positive = new Map<number, number>();
  readonly #negative = new Map<number, number>();
  #zeros = 0;
  #count = 0;
  #sum = 0;

  get count(): number {
    return Math.min(this.#count, MAX_INT32);
  }

  get sum(): number {
    return this.#sum;
  }

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    if (value === 0) {
      this.#zeros++;
      return;
    }
    const buckets = value > 0 ? this.#positive : this.#negative;
    const exponent = Math.round(Math.log(Math.abs(value)) / LOG_GROWTH);
    buckets.set(exponent, (buckets.get(exponent) ?? 0) + 1);
  }

  clear(): void {
    this.#positive.clear();
    this.#negative.clear();
    this.#zeros = 0;
    this.#count = 0;
    this.#sum = 0;
  }

  /**
   * Returns, for each share, lowest first, the value that this share of all values does not exceed; empty if there are
   * none.
   */
  quantiles(shares: readonly number[]): number[] {
    const values = this.#ascending();
    let seen = 0;
    let at = -1;
    return shares.slice(0, this.#count === 0 ? 0 : shares.length).map((share) => {
      while (seen < share * this.#count && at + 1 < values.length) seen += values[++at]?.count ?? 0;
      return values[Math.max(at, 0)]?.value ?? 0;
    });
  }

  #ascending(): { value: number; count: number }[] {
    const middle = (exponent: number) => Number((GROWTH ** exponent).toPrecision(6));
    const values = [
      ...Array.from(this.#negative, ([exponent, count]) => ({ value: -middle(exponent), count })),
      { value: 0, count: this.#zeros },
      ...Array.from(this.#positive, ([exponent, count]) => ({ value: middle(exponent), count })),
    ];
    return values.filter(({ count }) => count > 0).sort((one, other) => one.value - other.value);
  }
}
