/** A time in which an activity ran nothing: what its thread did meanwhile, and which activities inside made it so long. */
import type { TracedActivity } from '../traced-activity.ts';
import { type Interval, type LoopRun, PAUSE_NS, type TimeKind } from './loop-runs.ts';
import type { Queued } from './pool-queue.ts';
import type { StateOf, Stretch } from './states.ts';

/** A part of a wait: what held the thread, or nothing so far. */
export interface WaitPart extends Interval {
  endNs: number;
  /** - `waiting`: it was not ready; `maybeHeld`: it may have been; `held`: it was; `blind`: it may have run */
  readonly kind: 'waiting' | 'maybeHeld' | 'held' | 'blind';
  readonly run: LoopRun | undefined;
  /** Whether it stands for several short runs. */
  readonly isShort: boolean;
  /** It starts where this one ends. */
  next: WaitPart | undefined;
}

/** A wait lasts from the end of one of the activity's runs to the next, or to its end. */
export interface Wait extends Interval, Reason {
  /** The first one. */
  readonly parts: WaitPart | undefined;
  /** What woke it may have ended until this time. */
  readonly wokenByNs: number;
  /** The part of it in the queue of the thread pool; undefined if there is none, or that is unknown. */
  readonly queue: QueuePart | undefined;
}

/** What woke an activity. */
export interface Reason {
  readonly state: StateOf;
  /** Whether that says for certain what it waited for, whatever is inside it. */
  readonly isCertain: boolean;
}

/** The wait until a thread of the pool began with a job. The rest is work, or cannot be told from it. */
interface QueuePart {
  readonly untilNs: number;
  readonly queued: Queued;
}

/** What the thread did in a wait, divided at when the activity became ready. */
export class WaitParts {
  first: WaitPart | undefined;
  #last: WaitPart | undefined;
  readonly #readyFromNs: number;
  readonly #readyByNs: number;

  /** The activity became ready between the two times. */
  constructor(readyFromNs: number, readyByNs: number) {
    this.#readyFromNs = readyFromNs;
    this.#readyByNs = readyByNs;
  }

  add(startNs: number, endNs: number, run: LoopRun | undefined, what: TimeKind): void {
    const isShort = what === 'short';
    if (what === 'lost') this.#add(startNs, endNs, 'blind', run, isShort);
    else if (what === 'apart') this.#add(startNs, endNs, 'waiting', run, isShort);
    else {
      const readyFromNs = Math.min(Math.max(this.#readyFromNs, startNs), endNs);
      const readyByNs = Math.min(Math.max(this.#readyByNs, readyFromNs), endNs);
      this.#add(startNs, readyFromNs, 'waiting', run, isShort);
      const isPause = what === 'pause' && endNs - startNs >= PAUSE_NS;
      this.#add(readyFromNs, readyByNs, isPause ? 'waiting' : 'maybeHeld', run, isShort);
      this.#add(readyByNs, endNs, 'held', run, isShort);
    }
  }

  #add(
    startNs: number,
    endNs: number,
    kind: WaitPart['kind'],
    run: LoopRun | undefined,
    isShort: boolean,
  ): void {
    if (endNs <= startNs) return;
    const last = this.#last;
    // Most runs of the thread happen while an activity is not ready: they are of no interest.
    if (kind === 'waiting' && last?.kind === kind) {
      last.endNs = endNs;
      return;
    }
    this.#last = { startNs, endNs, kind, run, isShort, next: undefined };
    if (last === undefined) this.first = this.#last;
    else last.next = this.#last;
  }
}

/** An activity inside another. */
export interface InnerTime {
  readonly activity: TracedActivity;
  readonly label: string;
  /** The first of those that are known. */
  readonly stretches: Stretch | undefined;
}

/** An activity inside that was waited for. */
export interface PathStep extends Interval {
  readonly inner: InnerTime;
}

/**
 * The activities inside that made a wait so long: the one whose end woke it, then the last to end before that one
 * started, and so on. If none woke it, and what did is no certain reason, the last one that ended in the wait, or one
 * that went on.
 *
 * @param inside in order of their ends
 * @returns in order
 */
export function pathOf(wait: Wait, inside: readonly InnerTime[]): PathStep[] {
  const path: PathStep[] = [];
  let limitNs = wait.wokenByNs;
  let atNs = wait.endNs;
  let i = lastEndingBy(inside, limitNs);
  const isWoken = isWokenBy(wait, inside[i]);
  if (!isWoken && wait.isCertain) return path;
  if (!isWoken) {
    const open = inside.find(
      (each, index) => index > i && each.activity.startNs < wait.endNs && endOf(each) > wait.endNs,
    );
    if (open !== undefined) {
      path.push({ startNs: Math.max(open.activity.startNs, wait.startNs), endNs: atNs, inner: open });
      atNs = limitNs = open.activity.startNs;
    }
  }
  for (; i >= 0 && atNs > wait.startNs; i--) {
    const inner = inside[i] as InnerTime;
    const { startNs } = inner.activity;
    const endNs = endOf(inner);
    if (endNs <= wait.startNs) break;
    if (endNs > limitNs || startNs >= atNs) continue;
    path.push({ startNs: Math.max(startNs, wait.startNs), endNs: Math.min(endNs, atNs), inner });
    atNs = limitNs = startNs;
  }
  return path.reverse();
}

/**
 * The activities inside that decided when the activity went on for the last time: the one that woke it then, the one that
 * woke it before that one started, and so on, as long as one is known. Whatever else it waited for meanwhile, such as
 * shorter calls that were made at the same time, did not make it longer.
 *
 * @param waits in order
 * @param inside in order of their ends
 * @returns in order
 */
export function decidingSteps(waits: readonly Wait[], inside: readonly InnerTime[]): PathStep[] {
  const steps: PathStep[] = [];
  let untilNs = Number.POSITIVE_INFINITY;
  for (let i = waits.length - 1; i >= 0; i--) {
    const wait = waits[i] as Wait;
    if (wait.endNs > untilNs || wait.endNs - wait.startNs < WAKING_NS) continue;
    const waking = inside[lastEndingBy(inside, wait.wokenByNs)];
    if (!isWokenBy(wait, waking)) break;
    untilNs = waking.activity.startNs;
    steps.push({ startNs: untilNs, endNs: wait.endNs, inner: waking });
  }
  return steps.reverse();
}

function isWokenBy(wait: Wait, inner: InnerTime | undefined): inner is InnerTime {
  return inner !== undefined && endOf(inner) >= wait.endNs - WAKING_NS;
}

/** A Stop is written in the callback that wakes the activity around it, but perhaps in a run of its own. */
const WAKING_NS = 1e6;

function lastEndingBy(inside: readonly InnerTime[], timeNs: number): number {
  let [low, high] = [0, inside.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(inside[middle] as InnerTime) <= timeNs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function endOf({ activity }: InnerTime): number {
  return activity.endNs as number;
}
