/** Random numbers that a seed can repeat: xorshift32 (Marsaglia). */
export class Random {
  #state;

  /** @param {number} seed any integer */
  constructor(seed) {
    // 0 would stay 0.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 0 || 1;
  }

  /** An integer from 0 to less than `limit`. */
  below(limit) {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % limit;
  }

  /** One of the list. */
  of(list) {
    return list[this.below(list.length)];
  }
}
