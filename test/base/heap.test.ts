import { describe, expect, it } from 'vitest';
import { Heap, type HeapItem } from '../../lib/base/heap.ts';

interface Item extends HeapItem {
  key: number;
}

const item = (key: number): Item => ({ key, heapIndex: -1 });
const newHeap = () => new Heap<Item>((a, b) => a.key < b.key);

function drained(heap: Heap<Item>): number[] {
  const keys: number[] = [];
  for (let first = heap.first; first !== undefined; first = heap.first) {
    keys.push(first.key);
    heap.remove(first);
  }
  return keys;
}

/** The same numbers each time: a linear congruential generator. */
function* numbers(count: number): Generator<number, void, undefined> {
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (state * 48271) % 0x7fffffff;
    yield state % 1000;
  }
}

const ascending = (a: number, b: number) => a - b;

describe('a heap', () => {
  it('returns its items in order', () => {
    const heap = newHeap();
    for (const key of numbers(500)) heap.add(item(key));
    expect(heap.size).toBe(500);
    expect(drained(heap)).toEqual([...numbers(500)].sort(ascending));
    expect(heap.first).toBeUndefined();
  });

  it('can remove any item', () => {
    const heap = newHeap();
    const items = [...numbers(500)].map(item);
    for (const each of items) heap.add(each);
    for (const each of items) if (each.key % 3 === 0) heap.remove(each);
    const left = items.map(({ key }) => key).filter((key) => key % 3 !== 0);
    expect(drained(heap)).toEqual(left.sort(ascending));
  });

  it('ignores the removal of an item that it does not contain', () => {
    const heap = newHeap();
    const gone = item(1);
    heap.add(gone);
    heap.add(item(2));
    heap.remove(gone);
    heap.remove(gone);
    expect(drained(heap)).toEqual([2]);
  });

  it('moves an item whose key has changed, up or down', () => {
    const heap = newHeap();
    const items = [...numbers(500)].map(item);
    for (const each of items) heap.add(each);
    for (const each of items) {
      each.key = (each.key * 7) % 1000;
      heap.moved(each);
    }
    expect(drained(heap)).toEqual(items.map(({ key }) => key).sort(ascending));
  });
});
