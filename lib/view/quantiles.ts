/**
 * Quantiles of any number of durations in little memory: counts in buckets whose widths grow with the durations (a
 * log-linear histogram, like HdrHistogram).
 */

/** Buckets per doubling. A bucket's middle is off by at most half its width: 1/256 of the duration. */
const BUCKETS_PER_DOUBLING = 128;

export class Quantiles {
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  readonly #buckets = new Map<number, number>();

  /** @param duration 0 or more */
  add(duration: number): void {
    this.count++;
    this.min = Math.min(this.min, duration);
    this.max = Math.max(this.max, duration);
    const bucket = bucketOf(duration);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  /** How many are longer than this one, by more than 1/128. */
  countAbove(duration: number): number {
    const limit = bucketOf(duration);
    let above = 0;
    for (const [bucket, count] of this.#buckets) if (bucket > limit) above += count;
    return above;
  }

  /**
   * The smallest duration that at least `share` (0 to 1) of all do not exceed, within 1/256; undefined if there are
   * none. The first and the last are exact.
   */
  at(share: number): number | undefined {
    if (this.count === 0) return undefined;
    const rank = Math.ceil(share * this.count);
    if (rank <= 1) return this.min;
    let passed = 0;
    for (const [bucket, count] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      passed += count;
      if (passed >= rank && rank < this.count) {
        return Math.min(this.max, Math.max(this.min, middleOf(bucket)));
      }
    }
    return this.max;
  }
}

/** Below twice `BUCKETS_PER_DOUBLING`, each whole number has a bucket of its own. */
function bucketOf(duration: number): number {
  const whole = Math.floor(duration);
  if (whole < BUCKETS_PER_DOUBLING) return whole;
  const doublings = Math.floor(Math.log2(whole / BUCKETS_PER_DOUBLING));
  return doublings * BUCKETS_PER_DOUBLING + Math.floor(whole / 2 ** doublings);
}

function middleOf(bucket: number): number {
  if (bucket < 2 * BUCKETS_PER_DOUBLING) return bucket;
  const doublings = Math.floor(bucket / BUCKETS_PER_DOUBLING) - 1;
  const first = bucket - doublings * BUCKETS_PER_DOUBLING;
  return (first + 0.5) * 2 ** doublings;
}
