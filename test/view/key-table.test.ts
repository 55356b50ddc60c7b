/** The hash table of what has a text as its key. */
import { describe, expect, it } from 'vitest';
import { hashOf, type Keyed, KeyTable } from '../../lib/view/key-table.ts';

class Item implements Keyed<Item> {
  nextInBucket: Item | undefined = undefined;
  readonly key: string;
  readonly hash: number;

  constructor(key: string, hash: number = hashOf(key)) {
    this.key = key;
    this.hash = hash;
  }
}

describe('a table by key', () => {
  it('finds what is in it, however many come and go', () => {
    const table = new KeyTable<Item>();
    const items = new Map<string, Item>();
    // More than it first has room for, of which two in three are deleted again.
    for (let i = 0; i < 60_000; i++) {
      const key = `4321 //1/${i}`;
      const item = new Item(key);
      table.add(item);
      items.set(key, item);
      if (i % 3 === 0) continue;
      const gone = items.get(`4321 //1/${i - 1}`) as Item;
      table.delete(gone);
      items.delete(gone.key);
    }
    const keys = Array.from({ length: 60_000 }, (_, i) => `4321 //1/${i}`);
    expect(keys.filter((key) => table.get(key, hashOf(key)) !== items.get(key))).toEqual([]);
    expect(items.size).toBe(20_000);
  });

  it('tells keys of one hash apart, and deletes each of them alone', () => {
    const table = new KeyTable<Item>();
    const items = ['a', 'b', 'c'].map((key) => new Item(key, 7));
    for (const item of items) table.add(item);
    const [first, second, third] = items as [Item, Item, Item];
    table.delete(second);
    expect(['a', 'b', 'c'].map((key) => table.get(key, 7))).toEqual([first, undefined, third]);
    table.delete(second);
    table.delete(first);
    table.delete(third);
    expect(['a', 'b', 'c'].map((key) => table.get(key, 7))).toEqual([undefined, undefined, undefined]);
    expect(third.nextInBucket).toBeUndefined();
  });
});
