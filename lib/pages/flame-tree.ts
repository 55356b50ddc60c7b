/**
 * The calls that a flame graph shows, with their samples: those of the chosen stacks only, and below groups, such as
 * the names of activities. The calls of one function are next to each other, the one with the most samples first.
 */
import type { CallTree } from './call-tree.ts';
import { type Grouped, grouped, indicesWhere, itemsOf } from './grouped.ts';

/** What stacks are grouped by: a tree, parents first. */
export interface FlameGroups {
  /** -1 at the top. */
  readonly parent: readonly number[];
  readonly name: readonly string[];
}

export class FlameTree {
  readonly samples: number;
  /** Nodes without samples are nobody's children. By node, callers first: the caller or -1, samples in it and in what it calls, samples only in it. */
  readonly parent: Int32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  /** How many levels it is below the top, and the samples to the left of it. */
  readonly depth: Uint32Array;
  readonly left: Float64Array;
  readonly roots: Uint32Array;
  readonly levels: number;
  /** The index is a node, the value that of a function; for a group, the complement of the group's index. */
  readonly #label: Int32Array;
  readonly #children: Grouped;

  constructor({ parent, label, self }: FlameNodes) {
    const count = parent.length;
    this.parent = new Int32Array(parent);
    this.#label = new Int32Array(label);
    this.self = new Float64Array(self);
    this.total = this.self.slice();
    for (let node = count - 1; node >= 0; node--) {
      const above = this.parent[node] as number;
      if (above >= 0) this.total[above] = (this.total[above] as number) + (this.total[node] as number);
    }
    // The top comes after all other parents.
    this.#children = grouped(
      this.parent.map((above) => (above < 0 ? count : above)),
      count + 1,
      indicesWhere(count, (node) => (this.total[node] as number) > 0),
    );
    const mostFirst = (a: number, b: number) =>
      (this.total[b] as number) - (this.total[a] as number) || a - b;
    const { starts } = this.#children;
    for (let node = 0; node <= count; node++) {
      if ((starts[node + 1] as number) - (starts[node] as number) > 1) this.children(node).sort(mostFirst);
    }
    this.roots = this.children(count);
    this.depth = new Uint32Array(count);
    this.left = new Float64Array(count);
    this.samples = this.#place(count, 0, 0);
    for (let node = 0; node < count; node++) {
      this.#place(node, this.left[node] as number, (this.depth[node] as number) + 1);
    }
    const deepest = this.depth.reduce((most, depth) => Math.max(most, depth), 0);
    this.levels = this.samples === 0 ? 0 : deepest + 1;
  }

  children(node: number): Uint32Array {
    return itemsOf(this.#children, node);
  }

  /** The index of its function; negative for a group. */
  frame(node: number): number {
    return this.#label[node] as number;
  }

  /** How many samples are in at least one of these functions. */
  matching(marked: Uint8Array): number {
    const isIn = new Uint8Array(this.parent.length);
    let samples = 0;
    for (const [node, above] of this.parent.entries()) {
      const isInside = above >= 0 && isIn[above] === 1;
      const isMarked = marked[this.frame(node)] === 1;
      if (isMarked && !isInside) samples += this.total[node] as number;
      if (isMarked || isInside) isIn[node] = 1;
    }
    return samples;
  }

  /** What a node calls, side by side; returns where the last one ends. */
  #place(parent: number, left: number, depth: number): number {
    const { starts, items } = this.#children;
    let end = left;
    for (let at = starts[parent] as number; at < (starts[parent + 1] as number); at++) {
      const node = items[at] as number;
      this.left[node] = end;
      this.depth[node] = depth;
      end += this.total[node] as number;
    }
    return end;
  }
}

interface FlameNodes {
  readonly parent: ArrayLike<number>;
  readonly label: ArrayLike<number>;
  readonly self: ArrayLike<number>;
}

/** Counts samples by group and stack, and makes the tree of them. */
export class FlameCounts implements FlameNodes {
  readonly parent: number[] = [];
  readonly label: number[] = [];
  readonly self: number[] = [];
  readonly #calls: CallTree;
  readonly #groups: FlameGroups | undefined;
  /** Samples by stack, without groups; otherwise by a number for group and stack. */
  readonly #byStack: Float64Array;
  readonly #byKey = new Map<number, number>();
  /** The index is a group, the value its node. */
  readonly #groupNodes: number[] = [];
  /** The index is a call: the last group that it was made for, and its node there. */
  readonly #lastGroup: Int32Array;
  readonly #lastNode: Int32Array;
  /** The node of the only process, which is not worth a level in each group; -1 if there are several. */
  readonly #process: number;

  constructor(calls: CallTree, groups?: FlameGroups) {
    this.#calls = calls;
    this.#groups = groups;
    this.#byStack = new Float64Array(calls.leaf.length);
    const callCount = groups === undefined ? 0 : calls.parent.length;
    this.#lastGroup = new Int32Array(callCount).fill(-1);
    this.#lastNode = new Int32Array(callCount);
    const isOnly = groups !== undefined && calls.parent.lastIndexOf(-1) === 0;
    this.#process = isOnly ? 0 : -1;
  }

  /**
   * @param group if there are groups
   * @param count of samples, perhaps a part of one
   */
  add(stack: number, group: number, count: number): void {
    if (this.#groups === undefined) {
      this.#byStack[stack] = (this.#byStack[stack] as number) + count;
      return;
    }
    const key = group * this.#calls.leaf.length + stack;
    this.#byKey.set(key, (this.#byKey.get(key) ?? 0) + count);
  }

  tree(): FlameTree {
    const { leaf, parent, frame } = this.#calls;
    if (this.#groups === undefined) {
      const self = new Float64Array(parent.length);
      for (const [stack, node] of leaf.entries()) {
        self[node] = (self[node] as number) + (this.#byStack[stack] as number);
      }
      return new FlameTree({ parent, label: frame, self });
    }
    // One group after the other, each stack of it in a row.
    for (const key of Float64Array.from(this.#byKey.keys()).sort()) {
      const stack = key % leaf.length;
      const node = this.#callNode(leaf[stack] as number, (key - stack) / leaf.length);
      this.self[node] = (this.self[node] as number) + (this.#byKey.get(key) as number);
    }
    return new FlameTree(this);
  }

  /** Stacks can be deep: callers are made from the outermost one that is missing, without recursion. */
  #callNode(innermost: number, group: number): number {
    const { parent, frame } = this.#calls;
    const missing: number[] = [];
    let call = innermost;
    while (call > this.#process && this.#lastGroup[call] !== group) {
      missing.push(call);
      call = parent[call] as number;
    }
    let node = call > this.#process ? (this.#lastNode[call] as number) : this.#groupNode(group);
    for (let made = missing.pop(); made !== undefined; made = missing.pop()) {
      node = this.#make(node, frame[made] as number);
      this.#lastGroup[made] = group;
      this.#lastNode[made] = node;
    }
    return node;
  }

  #groupNode(group: number): number {
    if (group < 0) return -1;
    const known = this.#groupNodes[group];
    if (known !== undefined) return known;
    const node = this.#make(this.#groupNode(this.#groups?.parent[group] ?? -1), ~group);
    this.#groupNodes[group] = node;
    return node;
  }

  #make(parent: number, label: number): number {
    this.label.push(label);
    this.self.push(0);
    return this.parent.push(parent) - 1;
  }
}

/** Samples of a function, wherever it was called. */
export interface FunctionCosts {
  readonly total: Float64Array;
  readonly self: Float64Array;
}

/** Returns the costs by function. A function counts once per stack, however often it calls itself. */
export function functionCosts(tree: FlameTree, frameCount: number): FunctionCosts {
  const [total, self] = [new Float64Array(frameCount), new Float64Array(frameCount)];
  const open = new Uint32Array(frameCount);
  const add = (counts: Float64Array, frame: number, count: number) => {
    counts[frame] = (counts[frame] as number) + count;
  };
  // A node is passed twice: before what it calls, and after it.
  const left = Array.from(tree.roots);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const isEnd = next < 0;
    const node = isEnd ? ~next : next;
    const frame = tree.frame(node);
    if (frame >= 0) {
      if (!isEnd && open[frame] === 0) add(total, frame, tree.total[node] as number);
      if (!isEnd) add(self, frame, tree.self[node] as number);
      open[frame] = (open[frame] as number) + (isEnd ? -1 : 1);
    }
    if (isEnd) continue;
    left.push(~node);
    for (const child of tree.children(node)) left.push(child);
  }
  return { total, self };
}
