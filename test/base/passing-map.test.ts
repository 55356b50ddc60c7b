/** A map for entries that come and go. */
import { expect, it } from 'vitest';
import { PassingMap } from '../../lib/base/passing-map.ts';

it('A map for passing entries has what a Map has, however many have been deleted', () => {
  const passing = new PassingMap<number, string>();
  const map = new Map<number, string>();
  for (let i = 0; i < 20_000; i++) {
    passing.set(i, `${i}`);
    map.set(i, `${i}`);
    // First most stay, then none but the last 100.
    if (i > 5000)
      for (const key of [i - 5000, i - 100]) {
        passing.delete(key);
        map.delete(key);
      }
  }
  expect([...passing.values()]).toEqual([...map.values()]);
  expect(passing.size).toBe(map.size);
  expect([passing.firstKey]).toEqual([...map.keys()].slice(0, 1));
  expect([passing.get(19_999), passing.get(1)]).toEqual(['19999', undefined]);
});
