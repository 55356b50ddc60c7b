/**
 * The time of one activity: when it ran, what it waited for meanwhile, and what the thread ran while it was ready. When
 * it has ended, its waits become time in the activities inside it, where these explain them.
 */
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { TracedActivity } from '../traced-activity.ts';
import type { Account } from './account.ts';
import { AccountedTime } from './accounted-time.ts';
import { type Calls, countCall, ModuleLoads } from './calls.ts';
import { KEPT_RUNS, type LoopRun, type LoopRuns } from './loop-runs.ts';
import {
  isPart,
  NO_WAKER,
  NOT_OBSERVED,
  REQUEST_BODY,
  SHARED_SOCKET,
  type StateOf,
  type Stretch,
  stateOfCall,
  stateOfWaker,
  UNKNOWN,
} from './states.ts';
import { decidingSteps, endOf, type InnerTime, type Reason, type Wait, WaitParts } from './wait.ts';

/** More of them are resolved before the activity has ended. */
const MAX_PARTS = 4000;
/** An activity inside that has more parts counts as one. */
const MAX_INNER_PARTS = 500;
/** Less is what it takes to wake a thread of the pool. */
const MIN_QUEUE_NS = 1e6;
/** Stacks of its own runs. */
const MAX_STACKS = 64;

/** A run of its own, or a part of one. */
interface OwnRun {
  readonly run: LoopRun;
  readonly endNs: number;
}

/** What comes after it is next. */
type Piece = (OwnRun | Wait) & { next: Piece | undefined };

export class ActivityTime implements InnerTime {
  readonly activity: TracedActivity;
  readonly loop: LoopRuns | undefined;
  /** The name of its kind. */
  label: string;
  /** Whether it is one of those asked for. */
  isSelected = false;
  /** Whether what its client sends is the body of a request, as far as the request's method says. */
  hasBody = false;
  /** Whether its client has ended it, rather than what it waited for. */
  isAborted = false;
  /** The stacks of the activity's own runs, with their samples. */
  stacks: Map<SampledStack, number> | undefined = undefined;
  calls: Calls<ActivityTime>[] = NO_CALLS;
  /** The line of the application that started it. */
  startedAt: string | undefined = undefined;
  /** The modules that were loaded in it, and itself if it is such a load. */
  modules: ModuleLoads | undefined = undefined;
  #isLoad = false;
  /** Whether all of its time is in its account. */
  isOver = false;
  /** What is not in its account yet, in order: the activities inside explain its waits. */
  #first: Piece | undefined;
  #last: Piece | undefined;
  #pieces = 0;
  #accounted: AccountedTime | undefined;
  #inside: ActivityTime[] = NONE;
  /** Those since its last own run. They do not hold it: it waits for what runs there. */
  #runsInside: LoopRun[] = NO_RUNS;
  /** Its time is divided up to here. */
  #cursorNs: number;
  #hasRun = false;

  constructor(activity: TracedActivity, label: string, loop: LoopRuns | undefined) {
    this.activity = activity;
    this.label = label;
    this.loop = loop;
    this.#cursorNs = activity.startNs;
  }

  /** Complete when it is over. */
  get account(): Account {
    if (this.#accounted === undefined && this.isOver) {
      this.#time.addUnobserved(this.activity.endNs ?? this.activity.startNs);
    }
    return this.#time.account;
  }

  /** When it is over, its last ones, for the activity around it. */
  get stretches(): Stretch | undefined {
    return this.#accounted?.stretches;
  }

  get #time(): AccountedTime {
    const { startNs, parent } = this.activity;
    this.#accounted ??= new AccountedTime(startNs, parent !== undefined);
    return this.#accounted;
  }

  /** It is the load of a module, of this package. */
  setLoad(name: string): void {
    this.#isLoad = true;
    this.modules = new ModuleLoads();
    this.modules.count = 1;
    this.modules.addPackage(name, 1);
  }

  addInside(inner: ActivityTime): void {
    if (this.#inside === NONE) this.#inside = [inner];
    else this.#inside.push(inner);
  }

  /** Takes a run of its thread, of an activity inside. */
  addRunInside(run: LoopRun): void {
    if (this.isOver) return;
    if (this.#runsInside === NO_RUNS) this.#runsInside = [run];
    else if (this.#runsInside.push(run) >= 4 * KEPT_RUNS) {
      this.#runsInside = this.#runsInside.slice(2 * KEPT_RUNS);
    }
  }

  /** Takes the next of its own runs. */
  addRun(run: LoopRun): void {
    if (this.isOver) return;
    const startNs = Math.max(run.startNs, this.#cursorNs);
    const endNs = Math.min(run.endNs, this.activity.endNs ?? run.endNs);
    if (endNs < startNs) return;
    if (startNs > this.#cursorNs) this.#addWait(startNs, run);
    this.#hasRun = true;
    this.#push({ run, endNs, next: undefined });
    this.#addStacks(run);
    this.#cursorNs = endNs;
    if (this.#pieces + this.#inside.length > MAX_PARTS) this.#compact();
  }

  /** Divides the rest of its time. Call this once it has ended and the runs until then are settled. */
  end(endNs: number): void {
    const isUnobserved = this.loop === undefined || !this.loop.hasRuns;
    this.isOver = true;
    if (this.#isLoad && this.modules !== undefined) this.modules.ns = endNs - this.activity.startNs;
    // Most activities of most traces: what is known of them is when they began and ended.
    if (isUnobserved && this.#inside === NONE && this.#accounted === undefined) return;
    if (endNs > this.#cursorNs) this.#addWait(endNs, undefined);
    this.#cursorNs = endNs;
    this.#resolve(true);
    for (const inner of this.#inside) this.#count(inner);
    this.#inside = NONE;
    // An activity around it needs to know when it was in which state; if that is too much, only how long it took.
    if (this.#time.count > MAX_INNER_PARTS) this.#time.dropStretches();
  }

  #push(piece: Piece): void {
    if (this.#last === undefined) this.#first = piece;
    else this.#last.next = piece;
    this.#last = piece;
    this.#pieces++;
  }

  #addStacks({ stacks }: LoopRun): void {
    if (stacks === undefined) return;
    this.stacks ??= new Map();
    for (const [stack, samples] of stacks) {
      if (this.stacks.size < MAX_STACKS || this.stacks.has(stack)) {
        this.stacks.set(stack, (this.stacks.get(stack) ?? 0) + samples);
      }
    }
  }

  /** @param run the one that ends the wait; undefined for its Stop, which another run may contain */
  #addWait(endNs: number, run: LoopRun | undefined): void {
    const startNs = this.#cursorNs;
    const { loop } = this;
    const next = undefined;
    if (loop === undefined || !loop.hasRuns) {
      const parts = { startNs, endNs, kind: 'blind', run: undefined, isShort: false, next } as const;
      const woken = { state: NOT_OBSERVED, isCertain: false, queue: undefined, wokenByNs: endNs };
      this.#push({ startNs, endNs, parts, ...woken, next });
      return;
    }
    const last = run ?? loop.runAt(endNs);
    // The wait ends in it.
    const by = last !== undefined && endNs <= last.endNs ? last : undefined;
    // Its Stop was written in a callback of the run, which may have become ready since the loop last waited.
    const parts =
      run === undefined
        ? new WaitParts(by?.busySinceNs ?? endNs, endNs)
        : new WaitParts(endNs - run.lateAtMostNs, endNs - run.lateNs);
    loop.between(startNs, endNs, this.#runsInside, parts);
    this.#runsInside = NO_RUNS;
    const { state, isCertain } = this.#reasonOf(run, by);
    const queue = state.state === 'threadPool' ? queueOf(loop, by, startNs) : undefined;
    const wokenByNs = by?.endNs ?? endNs;
    this.#push({ startNs, endNs, parts: parts.first, state, isCertain, queue, wokenByNs, next });
  }

  #reasonOf(run: LoopRun | undefined, last: LoopRun | undefined): Reason {
    const ofCall = stateOfCall(this.activity.name);
    if (ofCall !== undefined && !this.#hasRun) return { state: ofCall, isCertain: false };
    const by = run ?? last;
    const isEnd = run === undefined || run.endNs >= (this.activity.endNs ?? Number.POSITIVE_INFINITY);
    if (this.isAborted && isEnd) return { state: ABORTED, isCertain: false };
    if (by === undefined) return { state: NO_WAKER, isCertain: false };
    if (by.isOwnCallback && by.activity !== undefined && wholeOf(by.activity) === wholeOf(this.activity)) {
      const state = this.#stateOfWaker(by.waker);
      return { state, isCertain: state.state === 'timer' || state.state === 'threadPool' };
    }
    if (run !== undefined) return { state: this.#stateOfOther(by), isCertain: false };
    // Its Stop was written in code outside of it, or around it.
    return { state: by.waker === 'write' ? this.#stateOfWaker(by.waker) : NO_WAKER, isCertain: false };
  }

  /** It was woken in a callback that is not its own. */
  #stateOfOther(run: LoopRun): StateOf {
    const { waker, wokenBy, wokenByLabel } = run;
    const whole = wholeOf(this.activity);
    const isRelated = wokenBy !== undefined && (isInside(wokenBy, whole) || isInside(whole, wokenBy));
    const state = this.#stateOfWaker(waker);
    if (isRelated) return state;
    // A callback of another activity that goes on let it go on: the two share a queue, a pool or a lock.
    const isOfOther = wokenBy !== undefined && (wokenBy.endNs ?? run.startNs) >= run.startNs;
    if (isOfOther) return { state: 'pool', what: `its turn, until ${wokenByLabel} let it go on` };
    if (state.state === 'timer') return OUTSIDE;
    return waker === 'socket' ? SHARED_SOCKET : state;
  }

  #stateOfWaker(waker: string): StateOf {
    return waker === 'http.server' && this.hasBody ? REQUEST_BODY : stateOfWaker(waker);
  }

  /** Resolves what is known by now, to limit memory: activities inside that have not ended count no longer. */
  #compact(): void {
    this.#resolve(false);
    for (const inner of this.#inside) if (inner.isOver) this.#count(inner);
    this.#inside = this.#inside.filter(({ isOver }) => !isOver).slice(-MAX_PARTS / 2);
    this.#time.dropStretches();
  }

  /** @param isWhole whether the last of its time is known */
  #resolve(isWhole: boolean): void {
    let inside = this.#inside;
    if (inside !== NONE) {
      inside = inside.filter(({ activity: { state, endNs } }) => state === 'stopped' && endNs !== undefined);
      if (inside.length > 1) inside.sort((a, b) => endOf(a) - endOf(b));
    }
    const deciding = isWhole && inside.length > 1 ? decidingSteps(this.#waits(), inside) : [];
    let step = 0;
    const time = this.#time;
    for (let piece = this.#first; piece !== undefined; piece = piece.next) {
      if ('run' in piece) {
        time.addRun(piece.run, piece.endNs);
        continue;
      }
      while ((deciding[step]?.endNs ?? Number.POSITIVE_INFINITY) <= piece.startNs) step++;
      time.addWait(piece, inside, deciding[step]);
    }
    this.#first = this.#last = undefined;
    this.#pieces = 0;
  }

  #waits(): Wait[] {
    const waits: Wait[] = [];
    for (let piece = this.#first; piece !== undefined; piece = piece.next) {
      if ('parts' in piece) waits.push(piece);
    }
    return waits;
  }

  #count(inner: ActivityTime): void {
    const { activity, modules } = inner;
    if (activity.state !== 'stopped' || activity.endNs === undefined) return;
    if (modules !== undefined) {
      this.modules ??= new ModuleLoads();
      this.modules.addInside(modules, activity.startNs, activity.endNs);
    }
    if (this.calls === NO_CALLS) this.calls = [];
    countCall(this.calls, inner);
    // Only its account is of interest from now on.
    if (!isPart(this.activity.name)) inner.#accounted?.dropStretches();
  }
}

/** All activities that have none share this. */
const NONE: ActivityTime[] = [];
const NO_RUNS: LoopRun[] = [];
const NO_CALLS: Calls<ActivityTime>[] = [];
const ABORTED: StateOf = { state: 'unknown', what: UNKNOWN.aborted };
const OUTSIDE: StateOf = { state: 'unknown', what: UNKNOWN.outside };

/** The activity itself, or the one of which it is a part. */
export function wholeOf(activity: TracedActivity): TracedActivity {
  let whole = activity;
  while (whole.parent !== undefined && isPart(whole.name)) whole = whole.parent;
  return whole;
}

function isInside(inner: TracedActivity, outer: TracedActivity): boolean {
  let at: TracedActivity | undefined = inner;
  while (at !== undefined && at.depth >= outer.depth) {
    if (at === outer) return true;
    at = at.parent;
  }
  return false;
}

/** The part of a wait for the thread pool in which the job was in its queue. */
function queueOf({ pool }: LoopRuns, run: LoopRun | undefined, startNs: number): Wait['queue'] {
  const untilNs = run?.jobFromNs;
  if (untilNs === undefined || untilNs < startNs + MIN_QUEUE_NS) return undefined;
  return { untilNs, queued: pool.queuedBetween(startNs, untilNs) };
}
