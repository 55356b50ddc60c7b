/** A binary heap whose items know their index, so that each can be removed or moved. */

export interface HeapItem {
  /** Managed by the heap: -1 while the item is in no heap. */
  heapIndex: number;
}

export class Heap<Item extends HeapItem> {
  readonly #items: Item[] = [];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first item. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Has no effect for an item that is not in the heap. */
  remove(item: Item): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop() as Item;
    if (last === item) return;
    this.#put(last, index);
    this.moved(last);
  }

  /** Call this when the sort key of an item has changed. */
  moved(item: Item): void {
    const index = item.heapIndex;
    if (index === 0 || !this.#rise(item, index)) this.#sink(item, index);
  }

  #rise(item: Item, from: number): boolean {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const other = this.#items[above] as Item;
      if (!this.#isBefore(item, other)) break;
      this.#put(other, index);
      index = above;
    }
    this.#put(item, index);
    return index !== from;
  }

  #sink(item: Item, from: number): void {
    const items = this.#items;
    const isBefore = this.#isBefore;
    let index = from;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && isBefore(items[below + 1] as Item, items[below] as Item)) below++;
      const other = items[below] as Item;
      if (!isBefore(other, item)) break;
      this.#put(other, index);
      index = below;
    }
    this.#put(item, index);
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}
