/** Items by group, in item order: compact enough for millions of items. */

export interface Grouped {
  /** Where each group's items begin in `items`, and where the last group ends. */
  readonly starts: Uint32Array;
  readonly items: Uint32Array;
}

/**
 * @param groupOf the group of each item; negative if it has none
 * @param chosen the items; by default, all from 0 to `groupOf.length`
 */
export function grouped(groupOf: Int32Array, groupCount: number, chosen?: Uint32Array): Grouped {
  const count = chosen?.length ?? groupOf.length;
  const starts = new Uint32Array(groupCount + 1);
  const itemAt = (index: number) => (chosen === undefined ? index : (chosen[index] as number));
  for (let index = 0; index < count; index++) {
    const group = groupOf[itemAt(index)] as number;
    if (group >= 0) starts[group + 1] = (starts[group + 1] as number) + 1;
  }
  for (let group = 0; group < groupCount; group++) {
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
  }
  const next = starts.slice(0, groupCount);
  const items = new Uint32Array(starts[groupCount] as number);
  for (let index = 0; index < count; index++) {
    const item = itemAt(index);
    const group = groupOf[item] as number;
    if (group < 0) continue;
    const at = next[group] as number;
    items[at] = item;
    next[group] = at + 1;
  }
  return { starts, items };
}

export function itemsOf({ starts, items }: Grouped, group: number): Uint32Array {
  return items.subarray(starts[group], starts[group + 1]);
}

/** The first index between `from` and `to` from which `isReached` holds; `to` if there is none. A binary search. */
export function firstWhere(from: number, to: number, isReached: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The indices from 0 that pass. */
export function indicesWhere(count: number, passes: (index: number) => boolean): Uint32Array {
  const indices = new Uint32Array(count);
  let size = 0;
  for (let index = 0; index < count; index++) if (passes(index)) indices[size++] = index;
  return indices.slice(0, size);
}
