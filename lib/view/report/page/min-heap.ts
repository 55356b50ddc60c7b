/** The smallest of numbers first. */
export class MinHeap {
  readonly #keys: number[] = [];
  readonly #values: number[] = [];

  get size(): number {
    return this.#keys.length;
  }

  get smallestKey(): number {
    return this.#keys[0] ?? Number.POSITIVE_INFINITY;
  }

  add(key: number, value: number): void {
    let at = this.#keys.length;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if ((this.#keys[above] as number) <= key) break;
      this.#move(above, at);
      at = above;
    }
    this.#put(at, key, value);
  }

  /** The value of the smallest key. */
  take(): number | undefined {
    const taken = this.#values[0];
    const key = this.#keys.pop();
    const value = this.#values.pop();
    if (key === undefined || value === undefined || this.size === 0) return taken;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.size) break;
      const right = left + 1;
      const isRight = right < this.size && (this.#keys[right] as number) < (this.#keys[left] as number);
      const smaller = isRight ? right : left;
      if ((this.#keys[smaller] as number) >= key) break;
      this.#move(smaller, at);
      at = smaller;
    }
    this.#put(at, key, value);
    return taken;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#keys[from] as number, this.#values[from] as number);
  }

  #put(at: number, key: number, value: number): void {
    this.#keys[at] = key;
    this.#values[at] = value;
  }
}
