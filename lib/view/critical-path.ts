/**
 * Which activities made one slow: going back from its end, the child that ended last, then the one that ended last
 * before that one started, and so on; and likewise within each of them.
 *
 * A child that outlived its parent was not waited for. One that ran beside another on the path, but ended earlier, did
 * not delay the parent either: the other one was still running.
 */

/** What the search needs of an `ActivityNode`. */
export interface TimedNode<N> {
  readonly activity: {
    readonly startNs: number;
    /** The end is undefined if it has not ended. */
    readonly endNs: number | undefined;
    readonly state: string;
  };
  readonly children: readonly N[];
}

/** An activity on the path. */
export interface CriticalStep<N> {
  readonly node: N;
  /** 0 for the activity itself. */
  readonly depth: number;
  readonly durationNs: number;
  /**
   * The part of its duration that its own steps do not account for. Over a path, these add up to the total duration.
   */
  readonly selfNs: number;
}

/**
 * @param endNs when activities that have not ended are assumed to end: the end of the trace
 * @returns the activity, then what is in it in time order, each before its own steps
 */
export function criticalPath<N extends TimedNode<N>>(root: N, endNs: number): CriticalStep<N>[] {
  const steps: CriticalStep<N>[] = [];
  const left = [{ node: root, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, depth } = next;
    const waitedFor = childrenWaitedFor(node, endNs);
    const durationNs = endOf(node, endNs) - node.activity.startNs;
    const inChildren = waitedFor.reduce(
      (sum, child) => sum + endOf(child, endNs) - child.activity.startNs,
      0,
    );
    steps.push({ node, depth, durationNs, selfNs: durationNs - inChildren });
    // The last child to end is found first: taken from the end, they come in time order.
    for (const child of waitedFor) left.push({ node: child, depth: depth + 1 });
  }
  return steps;
}

/** Latest first. */
function childrenWaitedFor<N extends TimedNode<N>>(node: N, endNs: number): N[] {
  const byEnd = node.children
    .filter(({ activity }) => activity.state !== 'unstarted' && activity.startNs >= node.activity.startNs)
    .sort((a, b) => endOf(b, endNs) - endOf(a, endNs));
  const found: N[] = [];
  let beforeNs = endOf(node, endNs);
  for (const child of byEnd) {
    if (endOf(child, endNs) > beforeNs) continue;
    found.push(child);
    beforeNs = child.activity.startNs;
  }
  return found;
}

function endOf<N>({ activity }: TimedNode<N>, endNs: number): number {
  return activity.endNs ?? endNs;
}
