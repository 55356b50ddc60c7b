/**
 * The time of one activity: when it ran, what it waited for meanwhile, and what the thread ran while it was ready. When
 * it has ended, its waits become time in the activities inside it, where these explain them.
 */
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { Account } from './account.ts';
import { type Interval, type LoopRun, type LoopRuns, PAUSE_NS, type ThreadTime } from './loop-runs.ts';
import {
  BLOCKED,
  NO_RUN,
  OFF_PROCESSOR,
  PREEMPTED,
  REQUEST_BODY,
  SHORT_RUNS,
  type StateOf,
  type Stretch,
  stateOfCall,
  stateOfWaker,
  UNKNOWN,
} from './states.ts';

/** A part of a wait: what held the thread, or nothing so far. */
interface WaitPart extends Interval {
  endNs: number;
  readonly run: LoopRun | undefined;
  /** Whether it stands for several short runs. */
  readonly isShort: boolean;
  /** - `waiting`: it was not ready; `maybeHeld`: it may have been; `held`: it was; `blind`: it may have run */
  readonly kind: 'waiting' | 'maybeHeld' | 'held' | 'blind';
}

/** A wait lasts from the end of one of the activity's runs to the next, or to its end. */
interface Wait extends Interval {
  readonly parts: readonly WaitPart[];
  /** What woke it; undefined if that is unknown. */
  readonly state: StateOf;
  /** Whether that says for certain what it waited for, whatever is inside it. */
  readonly isCertain: boolean;
  /** What woke it may have ended until this time. */
  readonly wokenByNs: number;
}

/** More of them are resolved before the activity has ended. */
const MAX_PARTS = 4000;
/** An activity inside that has more parts counts as one. */
const MAX_INNER_PARTS = 500;
/** A run counts as on a processor if it was there for all but so much: clocks differ, and hooks take time. */
const MIN_OFF_NS = 1e6;
const MIN_OFF_SHARE = 0.03;
/** Stacks of its own runs. */
const MAX_STACKS = 64;
/** Labels of activities inside. */
const MAX_CALLS = 200;
const MAX_CHAIN = 200;
const MAX_PACKAGES = 1000;

/** The activities of one kind inside another. */
export interface Calls {
  readonly label: string;
  count: number;
  failed: number;
  /** Those that started after the one before had ended. */
  inTurn: number;
  /** The sum of their durations. */
  totalNs: number;
  readonly startNs: number;
  /** The latest end. */
  endNs: number;
  /** The line of the application that started them, if all are known to have the same: `cart.mjs:17`. */
  startedAt: string | undefined;
}

/** Modules that were loaded, in an activity or in all of them. */
export class ModuleLoads {
  count = 0;
  ns = 0;
  /** How many are of each package. */
  readonly packages: Map<string, number> = new Map();

  add({ count, ns, packages }: ModuleLoads): void {
    this.count += count;
    this.ns += ns;
    for (const [name, modules] of packages) this.addPackage(name, modules);
  }

  addPackage(name: string, modules: number): void {
    if (this.packages.size < MAX_PACKAGES || this.packages.has(name)) {
      this.packages.set(name, (this.packages.get(name) ?? 0) + modules);
    }
  }
}

export class ActivityTime {
  readonly activity: TracedActivity;
  readonly loop: LoopRuns | undefined;
  /** The name of its kind. */
  label: string;
  /** Whether it is one of those asked for. */
  isSelected = false;
  /** Whether what its client sends is the body of a request, as far as the request's method says. */
  hasBody = false;
  /** The stacks of the activity's own runs, with their samples. */
  stacks: Map<SampledStack, number> | undefined;
  calls: Calls[] = NO_CALLS;
  /** The line of the application that started it. */
  startedAt: string | undefined;
  /** The modules that were loaded in it, and itself if it is such a load. */
  modules: ModuleLoads | undefined;
  #isLoad = false;
  /** Whether all of its time is in its account. */
  isOver = false;
  /** What is not in its account yet; when it is over, its last ones, for the activity around it. */
  #stretches: Stretch[] = NO_STRETCHES;
  #waits: Wait[] = NO_WAITS;
  #account: Account | undefined;
  #inside: ActivityTime[] = NONE;
  /** Its time is divided up to here. */
  #cursorNs: number;
  #hasRun = false;
  #loadedUntilNs = 0;

  constructor(activity: TracedActivity, label: string, loop: LoopRuns | undefined) {
    this.activity = activity;
    this.label = label;
    this.loop = loop;
    this.#cursorNs = activity.startNs;
  }

  /** Complete when it is over. */
  get account(): Account {
    if (this.#account === undefined) {
      this.#account = new Account();
      const { startNs, endNs = startNs } = this.activity;
      if (this.isOver) this.#account.add({ startNs, endNs, ...NOT_OBSERVED });
    }
    return this.#account;
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

  /** Takes the next of its own runs. */
  addRun(run: LoopRun): void {
    if (this.isOver) return;
    const startNs = Math.max(run.startNs, this.#cursorNs);
    const endNs = Math.min(run.endNs, this.activity.endNs ?? run.endNs);
    if (endNs < startNs) return;
    if (startNs > this.#cursorNs) this.#addWait(startNs, run);
    this.#hasRun = true;
    this.#addOwn(startNs, endNs, run);
    this.#cursorNs = endNs;
    if (this.#stretches.length + this.#waits.length + this.#inside.length > MAX_PARTS) this.#compact();
  }

  /** Divides the rest of its time. Call this once it has ended and the runs until then are settled. */
  end(endNs: number): void {
    const isUnobserved = this.loop === undefined || !this.loop.hasRuns;
    this.isOver = true;
    if (this.#isLoad && this.modules !== undefined) this.modules.ns = endNs - this.activity.startNs;
    // Most activities of most traces: what is known of them is when they began and ended.
    if (isUnobserved && this.#inside === NONE && this.#account === undefined) return;
    if (endNs > this.#cursorNs) this.#addWait(endNs, undefined);
    this.#cursorNs = endNs;
    this.#resolve();
    for (const inner of this.#inside) this.#count(inner);
    this.#inside = NONE;
    this.#addToAccount();
    // An activity around it needs to know when it was in which state; if that is too much, only how long it took.
    if (this.activity.parent === undefined || this.#stretches.length > MAX_INNER_PARTS) {
      this.#stretches = NO_STRETCHES;
    }
  }

  #push(stretch: Stretch): void {
    if (this.#stretches === NO_STRETCHES) this.#stretches = [stretch];
    else this.#stretches.push(stretch);
  }

  #pushWait(wait: Wait): void {
    if (this.#waits === NO_WAITS) this.#waits = [wait];
    else this.#waits.push(wait);
  }

  #addOwn(startNs: number, endNs: number, run: LoopRun): void {
    let atNs = startNs;
    let collectedNs = 0;
    const ran: Interval[] = [];
    for (const each of run.collections) {
      const from = Math.max(each.startNs, atNs);
      const to = Math.min(each.endNs, endNs);
      if (to <= from) continue;
      if (from > atNs) ran.push({ startNs: atNs, endNs: from });
      this.#push({ startNs: from, endNs: to, state: 'collection', what: 'its own code', run });
      collectedNs += to - from;
      atNs = to;
    }
    if (endNs > atNs) ran.push({ startNs: atNs, endNs });
    const durationNs = run.endNs - run.startNs;
    let offNs = run.cpuNs === undefined ? 0 : Math.max(0, durationNs - Math.max(run.cpuNs, collectedNs));
    if (offNs < Math.max(MIN_OFF_NS, durationNs * MIN_OFF_SHARE)) offNs = 0;
    let preemptedNs = Math.min(offNs, run.processorWaitNs ?? 0);
    let blockedNs = offNs - preemptedNs;
    const isWaitKnown = run.processorWaitNs !== undefined;
    // Where in the run that was is unknown: in a part of the run, so much of it may be elsewhere.
    const otherwise = durationNs > endNs - startNs ? ({ state: 'running', what: '' } as const) : undefined;
    for (const part of ran) {
      let from = part.startNs;
      const add = (to: number, state: StateOf, bounds?: StateOf) => {
        if (to > from) this.#push({ startNs: from, endNs: to, ...state, otherwise: bounds, run });
        from = Math.max(from, to);
      };
      const preempted = Math.min(preemptedNs, part.endNs - part.startNs);
      const blocked = Math.min(blockedNs, part.endNs - part.startNs - preempted);
      preemptedNs -= preempted;
      blockedNs -= blocked;
      add(part.endNs - preempted - blocked, RUNNING);
      add(part.endNs - preempted, isWaitKnown ? BLOCKED : OFF_PROCESSOR, otherwise);
      add(part.endNs, PREEMPTED, otherwise);
    }
    if (run.stacks === undefined) return;
    this.stacks ??= new Map();
    for (const [stack, samples] of run.stacks) {
      if (this.stacks.size < MAX_STACKS || this.stacks.has(stack)) {
        this.stacks.set(stack, (this.stacks.get(stack) ?? 0) + samples);
      }
    }
  }

  /** @param run the one that ends the wait; undefined for its Stop, which another run may contain */
  #addWait(endNs: number, run: LoopRun | undefined): void {
    const startNs = this.#cursorNs;
    const { loop } = this;
    if (loop === undefined || !loop.hasRuns) {
      const parts = [{ startNs, endNs, run: undefined, isShort: false, kind: 'blind' } as const];
      this.#pushWait({
        startNs,
        endNs,
        parts,
        state: NOT_OBSERVED,
        isCertain: false,
        wokenByNs: endNs,
      });
      return;
    }
    const last = run ?? loop.runAt(endNs);
    const isInLast = last !== undefined && endNs <= last.endNs;
    const [readyFromNs, readyByNs] =
      run === undefined ? this.#readyBefore(endNs, isInLast ? last : undefined) : readyBefore(run, endNs);
    const parts: WaitPart[] = [];
    // What runs inside it does not hold it: it waits for that.
    const isOfItself = (each: LoopRun) =>
      each.activity !== undefined && isInside(each.activity, this.activity);
    for (const time of loop.between(startNs, endNs, isOfItself)) {
      if (time.run !== undefined && !time.isShort && isOfItself(time.run)) {
        cut(time, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, parts);
      } else cut(time, readyFromNs, readyByNs, parts);
    }
    this.#pushWait({
      startNs,
      endNs,
      parts,
      ...this.#stateOf(run, isInLast ? last : undefined),
      wokenByNs: isInLast ? last.endNs : endNs,
    });
  }

  /** Its Stop was written in a callback of the run, which may have become ready since the loop last waited. */
  #readyBefore(endNs: number, last: LoopRun | undefined): readonly [number, number] {
    if (last === undefined) return [endNs, endNs];
    return [this.loop?.busySince(endNs) ?? endNs, endNs];
  }

  #stateOf(run: LoopRun | undefined, last: LoopRun | undefined): Pick<Wait, 'state' | 'isCertain'> {
    const ofCall = stateOfCall(this.activity.name);
    if (ofCall !== undefined && !this.#hasRun) return { state: ofCall, isCertain: false };
    const by = run ?? last;
    if (by === undefined) return { state: { state: 'unknown', what: UNKNOWN.noWaker }, isCertain: false };
    if (by.activity === this.activity && by.isOwnCallback) {
      const state = this.#stateOfWaker(by.waker);
      return { state, isCertain: state.state === 'timer' || state.state === 'threadPool' };
    }
    if (run === undefined) {
      // Its Stop was written in code outside of it, or around it.
      const state = by.waker === 'write' ? this.#stateOfWaker(by.waker) : undefined;
      return { state: state ?? { state: 'unknown', what: UNKNOWN.noWaker }, isCertain: false };
    }
    return { state: this.#stateOfOther(by), isCertain: false };
  }

  /** It was woken in a callback that is not its own. */
  #stateOfOther(run: LoopRun): StateOf {
    const { waker, wokenBy, wokenByLabel } = run;
    const isRelated =
      wokenBy !== undefined && (isInside(wokenBy, this.activity) || isInside(this.activity, wokenBy));
    const state = this.#stateOfWaker(waker);
    if (isRelated) return state;
    // A callback of another activity that goes on let it go on: the two share a queue, a pool or a lock.
    const isOfOther = wokenBy !== undefined && (wokenBy.endNs ?? run.startNs) >= run.startNs;
    if (isOfOther) return { state: 'pool', what: `its turn, until ${wokenByLabel} let it go on` };
    if (state.state === 'timer') return { state: 'unknown', what: UNKNOWN.outside };
    return state;
  }

  #stateOfWaker(waker: string): StateOf {
    return waker === 'http.server' && this.hasBody ? REQUEST_BODY : stateOfWaker(waker);
  }

  /** Resolves what is known by now, to limit memory: activities inside that have not ended count no longer. */
  #compact(): void {
    this.#resolve();
    for (const inner of this.#inside) if (inner.isOver) this.#count(inner);
    this.#inside = this.#inside.filter(({ isOver }) => !isOver).slice(-MAX_PARTS / 2);
    this.#addToAccount();
    this.#stretches = NO_STRETCHES;
  }

  #addToAccount(): void {
    this.#account ??= new Account();
    for (const stretch of this.#stretches) this.#account.add(stretch);
  }

  #resolve(): void {
    if (this.#waits.length === 0) return;
    let inside = this.#inside;
    if (inside !== NONE) {
      inside = inside.filter(({ activity: { state, endNs } }) => state === 'stopped' && endNs !== undefined);
      if (inside.length > 1) inside.sort((a, b) => endOf(a) - endOf(b));
    }
    for (const wait of this.#waits) this.#resolveWait(wait, inside);
    this.#waits = NO_WAITS;
    if (this.#stretches.length > 1) this.#stretches.sort((a, b) => a.startNs - b.startNs);
  }

  #resolveWait(wait: Wait, inside: readonly ActivityTime[]): void {
    const path = inside.length === 0 ? [] : pathOf(wait, inside);
    let isBlind = false;
    // From its end: what woke it says nothing about the time before a loss.
    for (let i = wait.parts.length - 1; i >= 0; i--) {
      const part = wait.parts[i] as WaitPart;
      isBlind ||= part.kind === 'blind';
      const lost = wait.state.what === UNKNOWN.notObserved ? wait.state : LOST;
      const state = isBlind ? lost : wait.state;
      if (part.kind === 'held' || part.kind === 'maybeHeld') this.#addHeld(part, state, path);
      else this.#addWaiting(part, state, path);
    }
  }

  #addHeld(
    { startNs, endNs, run, isShort, kind }: WaitPart,
    state: StateOf,
    path: readonly PathStep[],
  ): void {
    const step = path.find((each) => each.startNs <= startNs && each.endNs >= endNs);
    const waiting: StateOf = step === undefined ? state : { state: 'child', what: step.inner.label };
    const otherwise = kind === 'held' ? undefined : waiting;
    let atNs = startNs;
    const add = (from: number, to: number, what: Pick<Stretch, 'state' | 'what'>) => {
      const by = isShort ? undefined : run;
      if (to > from) this.#push({ startNs: from, endNs: to, ...what, otherwise, run: by });
    };
    const what = { state: 'held', what: isShort ? SHORT_RUNS : (run?.label ?? NO_RUN) } as const;
    // In the run of something else, collections are a part of that, unless it did little else.
    for (const each of isShort || !isMostlyCollection(run) ? [] : (run?.collections ?? [])) {
      const from = Math.min(Math.max(each.startNs, atNs), endNs);
      const to = Math.min(Math.max(each.endNs, from), endNs);
      add(atNs, from, what);
      add(from, to, { state: 'collection', what: run?.label ?? '' });
      atNs = to;
    }
    add(atNs, endNs, what);
  }

  #addWaiting({ startNs, endNs }: WaitPart, state: StateOf, path: readonly PathStep[]): void {
    // It may have run meanwhile.
    const otherwise = state === LOST ? LOST : undefined;
    let atNs = startNs;
    for (const { startNs: from, endNs: to, inner } of path) {
      if (to <= atNs || from >= endNs) continue;
      if (from > atNs) this.#push({ startNs: atNs, endNs: from, ...state });
      const start = Math.max(from, atNs);
      atNs = Math.min(to, endNs);
      this.#addInner(inner, start, atNs, otherwise);
    }
    if (endNs > atNs) this.#push({ startNs: atNs, endNs, ...state });
  }

  /** What concerns the thread or a pool is the activity's own state; the rest is time in the activity inside. */
  #addInner(inner: ActivityTime, startNs: number, endNs: number, otherwise: StateOf | undefined): void {
    let atNs = startNs;
    const rest = (to: number) => {
      if (to > atNs) {
        this.#push({
          startNs: atNs,
          endNs: to,
          state: 'child',
          what: inner.label,
          inner: 'unknown',
          otherwise,
        });
      }
    };
    for (const each of inner.#stretches) {
      if (each.endNs <= atNs || each.startNs >= endNs) continue;
      const from = Math.max(each.startNs, atNs);
      const to = Math.min(each.endNs, endNs);
      rest(from);
      this.#push(lifted(each, inner.label, from, to, otherwise));
      atNs = to;
    }
    rest(endNs);
  }

  /** Loads at the same time count once. */
  #addModules(loaded: ModuleLoads, startNs: number, endNs: number): void {
    this.modules ??= new ModuleLoads();
    const { ns } = this.modules;
    this.modules.add(loaded);
    const newNs = Math.max(0, endNs - Math.max(startNs, this.#loadedUntilNs));
    this.modules.ns = ns + Math.min(loaded.ns, newNs);
    this.#loadedUntilNs = Math.max(this.#loadedUntilNs, endNs);
  }

  #count({ activity: { startNs, endNs, isFailed, state }, label, startedAt, modules }: ActivityTime): void {
    if (state !== 'stopped' || endNs === undefined) return;
    if (modules !== undefined) this.#addModules(modules, startNs, endNs);
    if (this.calls === NO_CALLS) this.calls = [];
    const known = this.calls.find((each) => each.label === label);
    if (known === undefined) {
      if (this.calls.length >= MAX_CALLS) return;
      const totalNs = endNs - startNs;
      const failed = isFailed ? 1 : 0;
      this.calls.push({ label, count: 1, failed, inTurn: 1, totalNs, startNs, endNs, startedAt });
      return;
    }
    known.count++;
    if (isFailed) known.failed++;
    if (startNs >= known.endNs) known.inTurn++;
    known.totalNs += endNs - startNs;
    known.endNs = Math.max(known.endNs, endNs);
    if (known.startedAt !== startedAt) known.startedAt = undefined;
  }
}

/** All activities that have none share this. */
const NONE: ActivityTime[] = [];
const NO_STRETCHES: Stretch[] = [];
const NO_WAITS: Wait[] = [];
const NO_CALLS: Calls[] = [];
const NOT_OBSERVED: StateOf = { state: 'unknown', what: UNKNOWN.notObserved };
const RUNNING: StateOf = { state: 'running', what: '' };
const LOST: StateOf = { state: 'unknown', what: UNKNOWN.lost };

function isMostlyCollection(run: LoopRun | undefined): boolean {
  if (run === undefined) return false;
  let ns = 0;
  for (const { startNs, endNs } of run.collections) ns += endNs - startNs;
  return 2 * ns > run.endNs - run.startNs;
}

/** An activity inside that was waited for. */
interface PathStep extends Interval {
  readonly inner: ActivityTime;
}

/**
 * The activities inside that made a wait so long: the one whose end woke it, then the last to end before that one
 * started, and so on. If none woke it, and what did is no certain reason, the last one that ended in the wait, or one
 * that went on.
 *
 * @param inside in order of their ends
 * @returns in order
 */
function pathOf(wait: Wait, inside: readonly ActivityTime[]): PathStep[] {
  const path: PathStep[] = [];
  let limitNs = wait.wokenByNs;
  let atNs = wait.endNs;
  let i = lastEndingBy(inside, limitNs);
  const waking = inside[i];
  const isWoken = waking !== undefined && endOf(waking) >= wait.endNs - WAKING_NS;
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
    const inner = inside[i] as ActivityTime;
    const { startNs } = inner.activity;
    const endNs = endOf(inner);
    if (endNs <= wait.startNs) break;
    if (endNs > limitNs || startNs >= atNs) continue;
    path.push({ startNs: Math.max(startNs, wait.startNs), endNs: Math.min(endNs, atNs), inner });
    atNs = limitNs = startNs;
  }
  return path.reverse();
}

/** A Stop is written in the callback that wakes the activity around it, but perhaps in a run of its own. */
const WAKING_NS = 1e6;

function lastEndingBy(inside: readonly ActivityTime[], timeNs: number): number {
  let [low, high] = [0, inside.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(inside[middle] as ActivityTime) <= timeNs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function endOf({ activity }: ActivityTime): number {
  return activity.endNs as number;
}

/** Divides what the thread did at when the activity became ready. */
function cut(
  { startNs, endNs, run, isShort, isLost }: ThreadTime,
  readyFromNs: number,
  readyByNs: number,
  parts: WaitPart[],
): void {
  const add = (from: number, to: number, kind: WaitPart['kind']) => {
    if (to <= from) return;
    const last = parts.at(-1);
    // Most runs of the thread happen while an activity is not ready: they are of no interest.
    if (kind === 'waiting' && last?.kind === kind) last.endNs = to;
    else parts.push({ startNs: from, endNs: to, run, isShort, kind });
  };
  if (isLost) {
    add(startNs, endNs, 'blind');
    return;
  }
  const from = Math.min(Math.max(readyFromNs, startNs), endNs);
  const by = Math.min(Math.max(readyByNs, from), endNs);
  add(startNs, from, 'waiting');
  const isPause = run === undefined && endNs - startNs >= PAUSE_NS;
  add(from, by, isPause ? 'waiting' : 'maybeHeld');
  add(by, endNs, 'held');
}

/** When the callback of a run became ready: not before, and not after. */
function readyBefore({ lateNs, lateAtMostNs }: LoopRun, startNs: number): readonly [number, number] {
  return [startNs - lateAtMostNs, startNs - lateNs];
}

function isInside(inner: TracedActivity, outer: TracedActivity): boolean {
  let at: TracedActivity | undefined = inner;
  while (at !== undefined && at.depth >= outer.depth) {
    if (at === outer) return true;
    at = at.parent;
  }
  return false;
}

/** A part of the time in an activity inside, as the state of the one around it. */
function lifted(
  { state, what, otherwise, run, inner }: Stretch,
  label: string,
  startNs: number,
  endNs: number,
  lost: StateOf | undefined,
): Stretch {
  if (state === 'held' || state === 'collection' || state === 'pool') {
    return {
      startNs,
      endNs,
      state,
      what,
      otherwise: otherwise && { state: 'child', what: label },
      run,
      inner: undefined,
    };
  }
  const isChain = state === 'child';
  return {
    startNs,
    endNs,
    state: 'child',
    what: isChain ? chained(label, what) : label,
    otherwise: lost,
    run: undefined,
    inner: isChain ? inner : state,
  };
}

/** What is inside another of its kind, as modules are, is not named again. */
function chained(label: string, what: string): string {
  if (what === label || what.startsWith(`${label} › `)) return what;
  return `${label} › ${what}`.slice(0, MAX_CHAIN);
}
