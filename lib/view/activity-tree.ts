/** The activities of a trace as a tree of what started what, or the selected part of it. */
import { jsonValue, type TraceEvent } from '../trace/trace-event.ts';
import { type ActivityFields, activityFields, type FieldSelection } from './activity-fields.ts';
import type { Boundary } from './event-names.ts';
import { TraceActivities } from './trace-activities.ts';
import type { TracedActivity } from './traced-activity.ts';

/** An activity in the tree. */
export interface ActivityNode {
  readonly activity: TracedActivity;
  /** The children are in the order of their starts. */
  readonly children: readonly ActivityNode[];
  /** The fields of its start and its stop as JSON values, in a tree that `keepsPayloads`. */
  readonly payload?: unknown;
  readonly stopPayload?: unknown;
}

interface GrowingNode extends ActivityNode {
  readonly children: GrowingNode[];
  payload?: unknown;
  stopPayload?: unknown;
}

export interface ActivityTreeOptions extends Omit<FieldSelection, 'by'> {
  /** What the tree shows, with everything in it; by default, everything. */
  readonly isRoot?: ((event: TraceEvent, activity: TracedActivity) => boolean) | undefined;
  /** The maximum number of roots; keeps those that took longest. */
  readonly slowest?: number | undefined;
  /** The maximum number of activities. */
  readonly limit?: number;
  /** Whether each activity has the fields of its start and its stop; by default not. */
  readonly keepsPayloads?: boolean;
}

/** The number of roots collected before those that are not wanted are dropped. */
const ROOTS_AT_LEAST = 1000;

export class ActivityTree {
  readonly activities: TraceActivities = new TraceActivities();
  /** Whether activities were omitted because of the limit. */
  isCut = false;
  /** @internal */
  readonly fields: ActivityFields | undefined;
  /** Holds the activities that are roots if they match, where `where` or `isFailed` is given. */
  readonly #candidates = new WeakSet<TracedActivity>();
  readonly #isRoot: (event: TraceEvent, activity: TracedActivity) => boolean;
  readonly #slowest: number;
  readonly #limit: number;
  readonly #keepsPayloads: boolean;
  /** The activities in the tree, by index. */
  readonly #nodes = new Map<number, GrowingNode>();
  #roots: GrowingNode[] = [];
  #rootLimit: number;
  #countLimit: number;
  #count = 0;

  constructor(options: ActivityTreeOptions = {}) {
    const fields = activityFields(options);
    this.fields = fields;
    this.#isRoot = options.isRoot ?? ((_, { parent }) => parent === undefined || fields !== undefined);
    this.#slowest = options.slowest ?? Number.POSITIVE_INFINITY;
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY;
    this.#keepsPayloads = options.keepsPayloads ?? false;
    const isLimited = this.fields !== undefined || options.slowest !== undefined;
    this.#rootLimit = (this.fields === undefined ? this.#slowest : 0) + ROOTS_AT_LEAST;
    this.#countLimit = isLimited ? this.#limit / 2 : Number.POSITIVE_INFINITY;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    const change = this.activities.add(event);
    this.fields?.take(event, change?.activity ?? this.activities.activityOf(event));
    if (change === undefined) return;
    const { boundary, activity } = change;
    const isNew = boundary === 'Start' || activity.state === 'unstarted';
    const node = isNew ? this.#place(event, activity) : this.#nodes.get(activity.index);
    if (this.#keepsPayloads && node !== undefined) keepPayload(node, event, boundary);
  }

  /** The roots are in the order of their starts; if limited to the slowest, the slowest come first. */
  get roots(): readonly ActivityNode[] {
    const roots = this.#roots.flatMap((root) => this.#wantedIn(root));
    return this.#slowest === Number.POSITIVE_INFINITY
      ? roots
      : this.#bySlowness(roots).slice(0, this.#slowest);
  }

  /** The duration of an activity, up to the end of the trace if it has not ended. */
  durationNs(activity: TracedActivity): number {
    if (activity.state === 'unstarted') return 0;
    return activity.durationNs ?? this.activities.nowNs - activity.startNs;
  }

  /** Returns undefined if the activity is not in the tree. */
  #place(event: TraceEvent, activity: TracedActivity): GrowingNode | undefined {
    const parent = activity.parent && this.#nodes.get(activity.parent.index);
    if (parent === undefined || this.fields !== undefined) {
      const isRoot = this.#isRoot(event, activity);
      if (parent === undefined && !isRoot) return undefined;
      if (isRoot) this.#candidates.add(activity);
    }
    if (this.#count === this.#limit) {
      this.isCut = true;
      return undefined;
    }
    const node: GrowingNode = { activity, children: [] };
    this.#count++;
    // Nothing is ever inside an activity without a start, and nothing more becomes known about it.
    if (activity.index >= 0) this.#nodes.set(activity.index, node);
    if (parent !== undefined) parent.children.push(node);
    else this.#roots.push(node);
    if (this.#roots.length > this.#rootLimit || this.#count > this.#countLimit) this.#drop(this.#unwanted());
    return node;
  }

  /** Returns the unwanted of the roots that have ended: until then, one may still become slow, or get a field. */
  #unwanted(): GrowingNode[] {
    if (this.fields !== undefined) {
      return this.#roots.filter((root) => hasEnded(root) && this.#wantedIn(root).length === 0);
    }
    return this.#bySlowness(this.#roots.filter(({ activity }) => activity.endNs !== undefined)).slice(
      this.#slowest,
    );
  }

  /** The topmost wanted activities in a subtree. */
  #wantedIn(root: GrowingNode): GrowingNode[] {
    if (this.fields === undefined) return [root];
    const wanted: GrowingNode[] = [];
    const left = [root];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      const { activity, children } = node;
      if (this.#candidates.has(activity) && this.fields.matches(activity)) wanted.push(node);
      else for (let i = children.length - 1; i >= 0; i--) left.push(children[i] as GrowingNode);
    }
    return wanted;
  }

  #drop(roots: readonly GrowingNode[]): void {
    const dropped = new Set(roots);
    for (const root of dropped) {
      for (const node of nodesOf(root)) {
        this.#nodes.delete(node.activity.index);
        this.#count--;
      }
    }
    this.#roots = this.#roots.filter((root) => !dropped.has(root));
    this.#rootLimit = this.#roots.length * 2 + ROOTS_AT_LEAST;
    this.#countLimit = this.#count + this.#limit / 4;
  }

  /** A killed activity took at most the time until then, so it may not have been slow at all: it comes last. */
  #bySlowness(nodes: readonly GrowingNode[]): GrowingNode[] {
    const isKilled = ({ activity }: GrowingNode) => Number(activity.state === 'killed');
    return [...nodes].sort(
      (a, b) => isKilled(a) - isKilled(b) || this.durationNs(b.activity) - this.durationNs(a.activity),
    );
  }
}

function hasEnded(root: GrowingNode): boolean {
  for (const { activity } of nodesOf(root)) if (activity.endNs === undefined) return false;
  return true;
}

function keepPayload(node: GrowingNode, { payload }: TraceEvent, boundary: Boundary): void {
  // A copy: the payload's own bytes are part of the trace's.
  const kept = jsonValue(payload);
  if (boundary === 'Start') node.payload = kept;
  else node.stopPayload = kept;
}

/** The node and everything below it, parents first; at any depth. */
export function* nodesOf<N extends { readonly children: readonly N[] }>(
  root: N,
): Generator<N, void, undefined> {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    yield node;
    for (let i = node.children.length - 1; i >= 0; i--) left.push(node.children[i] as N);
  }
}
