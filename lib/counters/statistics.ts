/** The values of one interval: their number, mean and deviation. */

const MAX_INT32 = 0x7fff_ffff;

export class Statistics {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    // By Welford's method: a sum of squares loses what is small compared with large values.
    const distance = value - this.#mean;
    this.#count++;
    this.#mean += distance / this.#count;
    this.#squares += distance * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** The fields as in the event: the minimum is infinite without values. */
  get fields() {
    return {
      Mean: this.#mean,
      StandardDeviation: this.#count === 0 ? 0 : Math.sqrt(this.#squares / this.#count),
      Count: Math.min(this.#count, MAX_INT32),
      Min: this.#min,
      Max: this.#max,
    };
  }
}
