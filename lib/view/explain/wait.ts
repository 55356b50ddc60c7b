/** A time in which an activity ran nothing: what its thread did meanwhile, and which activities inside made it so long. */
import type { TracedActivity } from '../traced-activity.ts';
import { type Interval, type LoopRun, type LoopRuns, PAUSE_NS } from './loop-runs.ts';
import type { Queued } from './pool-queue.ts';
import type { StateOf } from './states.ts';

/** A part of a wait: what held the thread, or nothing so far. */
export interface WaitPart extends Interval {
  endNs: number;
  readonly run: LoopRun | undefined;
  /** Whether it stands for several short runs. */
  readonly isShort: boolean;
  /** - `waiting`: it was not ready; `maybeHeld`: it may have been; `held`: it was; `blind`: it may have run */
  readonly kind: 'waiting' | 'maybeHeld' | 'held' | 'blind';
}

/** A wait lasts from the end of one of the activity's runs to the next, or to its end. */
export interface Wait extends Interval {
  readonly parts: readonly WaitPart[];
  /** What woke it; undefined if that is unknown. */
  readonly state: StateOf;
  /** Whether that says for certain what it waited for, whatever is inside it. */
  readonly isCertain: boolean;
  /** The part of it in the queue of the thread pool; undefined if there is none, or that is unknown. */
  readonly queue: QueuePart | undefined;
  /** What woke it may have ended until this time. */
  readonly wokenByNs: number;
}

/** The wait until a thread of the pool began with a job. The rest is work, or cannot be told from it. */
interface QueuePart {
  readonly untilNs: number;
  readonly queued: Queued;
}

/** The time at which an activity became ready: not before, and not after. */
export interface Ready {
  readonly fromNs: number;
  readonly byNs: number;
}

/**
 * Divides what the thread did at when the activity became ready.
 *
 * @param ofItself the runs that do not hold it, because it waits for what runs there
 */
export function partsOf(
  loop: LoopRuns,
  { startNs, endNs }: Interval,
  ready: Ready,
  ofItself: readonly LoopRun[],
): WaitPart[] {
  const parts: WaitPart[] = [];
  loop.between(startNs, endNs, ofItself, (fromNs, toNs, run, what) => {
    const isShort = what === 'short';
    const add = (from: number, to: number, kind: WaitPart['kind']) => {
      if (to <= from) return;
      const last = parts.at(-1);
      // Most runs of the thread happen while an activity is not ready: they are of no interest.
      if (kind === 'waiting' && last?.kind === kind) last.endNs = to;
      else parts.push({ startNs: from, endNs: to, run, isShort, kind });
    };
    if (what === 'lost') {
      add(fromNs, toNs, 'blind');
    } else if (what === 'apart') {
      add(fromNs, toNs, 'waiting');
    } else {
      const readyFrom = Math.min(Math.max(ready.fromNs, fromNs), toNs);
      const readyBy = Math.min(Math.max(ready.byNs, readyFrom), toNs);
      add(fromNs, readyFrom, 'waiting');
      const isPause = what === 'pause' && toNs - fromNs >= PAUSE_NS;
      add(readyFrom, readyBy, isPause ? 'waiting' : 'maybeHeld');
      add(readyBy, toNs, 'held');
    }
  });
  return parts;
}

interface Inner {
  readonly activity: TracedActivity;
}

/** An activity inside that was waited for. */
export interface PathStep<Inside extends Inner> extends Interval {
  readonly inner: Inside;
}

/**
 * The activities inside that made a wait so long: the one whose end woke it, then the last to end before that one
 * started, and so on. If none woke it, and what did is no certain reason, the last one that ended in the wait, or one
 * that went on.
 *
 * @param inside in order of their ends
 * @returns in order
 */
export function pathOf<Inside extends Inner>(wait: Wait, inside: readonly Inside[]): PathStep<Inside>[] {
  const path: PathStep<Inside>[] = [];
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
    const inner = inside[i] as Inside;
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
export function decidingSteps<Inside extends Inner>(
  waits: readonly Wait[],
  inside: readonly Inside[],
): PathStep<Inside>[] {
  const steps: PathStep<Inside>[] = [];
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

function isWokenBy<Inside extends Inner>(wait: Wait, inner: Inside | undefined): inner is Inside {
  return inner !== undefined && endOf(inner) >= wait.endNs - WAKING_NS;
}

/** A Stop is written in the callback that wakes the activity around it, but perhaps in a run of its own. */
const WAKING_NS = 1e6;

function lastEndingBy(inside: readonly Inner[], timeNs: number): number {
  let [low, high] = [0, inside.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(inside[middle] as Inner) <= timeNs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function endOf({ activity }: Inner): number {
  return activity.endNs as number;
}
