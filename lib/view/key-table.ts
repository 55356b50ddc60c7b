/**
 * A hash table of what has a text as its key, for many that come and go. A Map allocates an entry for each, and a new
 * table after as many deletions as it has room: old tables refer to the new ones, and keep what has been in them beyond
 * V8's young generation.
 */

export interface Keyed<Item> {
  readonly key: string;
  /** See `hashOf`. */
  readonly hash: number;
  /** The table's own. */
  nextInBucket: Item | undefined;
}

/** It differs from process to process: no trace can have ids that are all in one bucket. */
const SEED = (Math.random() * 2 ** 32) | 0;
const FACTOR = 0x5bd1e995;
const MIN_BUCKETS = 1 << 13;

export function hashOf(text: string): number {
  let hash = SEED;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), FACTOR);
    hash ^= hash >>> 15;
  }
  return hash;
}

export class KeyTable<Item extends Keyed<Item>> {
  #buckets: (Item | undefined)[] = new Array(MIN_BUCKETS).fill(undefined);
  #count = 0;

  get(key: string, hash: number): Item | undefined {
    let item = this.#buckets[hash & (this.#buckets.length - 1)];
    while (item !== undefined && (item.hash !== hash || item.key !== key)) item = item.nextInBucket;
    return item;
  }

  /** Adds what has a key that nothing in the table has. */
  add(item: Item): void {
    if (++this.#count > this.#buckets.length) this.#grow();
    this.#link(item);
  }

  /** Has no effect if it is not in the table. */
  delete(item: Item): void {
    const at = item.hash & (this.#buckets.length - 1);
    let before: Item | undefined;
    for (let each = this.#buckets[at]; each !== item; each = each.nextInBucket) {
      if (each === undefined) return;
      before = each;
    }
    if (before === undefined) this.#buckets[at] = item.nextInBucket;
    else before.nextInBucket = item.nextInBucket;
    item.nextInBucket = undefined;
    this.#count--;
  }

  #link(item: Item): void {
    const at = item.hash & (this.#buckets.length - 1);
    item.nextInBucket = this.#buckets[at];
    this.#buckets[at] = item;
  }

  #grow(): void {
    const buckets = this.#buckets;
    this.#buckets = new Array(2 * buckets.length).fill(undefined);
    for (const first of buckets) {
      for (let item = first; item !== undefined; ) {
        const next: Item | undefined = item.nextInBucket;
        this.#link(item);
        item = next;
      }
    }
  }
}
