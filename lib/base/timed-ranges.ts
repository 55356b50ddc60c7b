/**
 * What was at an address at a given time: ranges of addresses added with a time, which may overlap earlier ones, such
 * as compiled code and mapped files.
 */

/** The number of ranges of similar size before an address to examine for those that reach it. */
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

/** Ranges of similar size, so that small ones do not stand before a large one that reaches beyond them. */
interface Tier<T> {
  readonly ranges: Range<T>[];
  isSorted: boolean;
}

export class TimedRanges<T> {
  /** The index is the logarithm of the tier's size. */
  readonly #tiers: (Tier<T> | undefined)[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param end exclusive */
  add(start: number, end: number, value: T, time = 0): void {
    const size = end - start;
    if (!(size > 0)) return;
    this.#count++;
    const index = Math.max(0, Math.floor(Math.log2(size)));
    let tier = this.#tiers[index];
    if (tier === undefined) {
      tier = { ranges: [], isSorted: true };
      this.#tiers[index] = tier;
    }
    tier.ranges.push({ start, end, time, value });
    tier.isSorted = false;
  }

  /**
   * The latest range that is not later than `time`, otherwise the earliest; for equal times, the last one added of the
   * smallest.
   */
  find(address: number, time = 0): T | undefined {
    let found: Range<T> | undefined;
    for (const tier of this.#tiers) {
      if (tier !== undefined) found = findIn(sorted(tier), address, time, found);
    }
    return found?.value;
  }
}

/** Sorts by start, then by time, then by insertion order, since sorting is stable. */
function sorted<T>(tier: Tier<T>): readonly Range<T>[] {
  if (!tier.isSorted) tier.ranges.sort((a, b) => a.start - b.start || a.time - b.time);
  tier.isSorted = true;
  return tier.ranges;
}

function findIn<T>(
  ranges: readonly Range<T>[],
  address: number,
  time: number,
  before: Range<T> | undefined,
): Range<T> | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle] as Range<T>).start <= address) low = middle + 1;
    else high = middle;
  }
  let found = before;
  for (let i = low - 1; i >= 0 && i >= low - MAX_LOOKED_THROUGH; i--) {
    const range = ranges[i] as Range<T>;
    if (address < range.end && (found === undefined || isBetter(range, found, time))) found = range;
  }
  return found;
}

function isBetter({ time: a }: { time: number }, { time: b }: { time: number }, at: number): boolean {
  if (a <= at) return b > at || a > b;
  return b > at && a < b;
}
