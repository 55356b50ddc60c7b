/**
 * What was at an address at a given time: ranges of addresses added with a time, which may overlap earlier ones, such
 * as compiled code and mapped files.
 */

/** The number of ranges before an address to examine for those that reach it. */
const MAX_LOOKED_THROUGH = 64;

interface Range<T> {
  readonly start: number;
  readonly end: number;
  readonly time: number;
  readonly value: T;
}

/** Precise for the addresses of all processors, whose upper bits are equal. Those of kernels are negative. */
export function addressNumber(address: bigint): number {
  return Number(BigInt.asIntN(64, address));
}

export class TimedRanges<T> {
  readonly #ranges: Range<T>[] = [];
  #isSorted = true;

  get count(): number {
    return this.#ranges.length;
  }

  /** @param end exclusive */
  add(start: number, end: number, value: T, time = 0): void {
    this.#ranges.push({ start, end, time, value });
    this.#isSorted = false;
  }

  /** The latest range that is not later than `time`, otherwise the earliest; for equal times, the last one added. */
  find(address: number, time = 0): T | undefined {
    const ranges = this.#sorted();
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle] as Range<T>).start <= address) low = middle + 1;
      else high = middle;
    }
    let found: Range<T> | undefined;
    for (let i = low - 1; i >= 0 && i >= low - MAX_LOOKED_THROUGH; i--) {
      const range = ranges[i] as Range<T>;
      if (address < range.end && (found === undefined || isBetter(range, found, time))) found = range;
    }
    return found?.value;
  }

  /** By start, then in insertion order: sorting is stable. */
  #sorted(): readonly Range<T>[] {
    if (!this.#isSorted) this.#ranges.sort((a, b) => a.start - b.start || a.time - b.time);
    this.#isSorted = true;
    return this.#ranges;
  }
}

function isBetter({ time: a }: { time: number }, { time: b }: { time: number }, at: number): boolean {
  if (a <= at) return b > at || a > b;
  return b > at && a < b;
}
