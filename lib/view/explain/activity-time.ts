/**
 * The time of one activity: when it ran, what it waited for meanwhile, and what the thread ran while it was ready. When
 * it has ended, its waits become time in the activities inside it, where these explain them.
 */
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { Account } from './account.ts';
import { type Calls, countCall, ModuleLoads } from './calls.ts';
import { KEPT_RUNS, type LoopRun, type LoopRuns } from './loop-runs.ts';
import {
  BLOCKED,
  isPart,
  NO_RUN,
  OFF_PROCESSOR,
  PREEMPTED,
  REQUEST_BODY,
  SHARED_SOCKET,
  SHORT_RUNS,
  type StateOf,
  type Stretch,
  stateOfCall,
  stateOfWaker,
  UNKNOWN,
} from './states.ts';
import {
  decidingSteps,
  endOf,
  type PathStep,
  partsOf,
  pathOf,
  type Ready,
  type Wait,
  type WaitPart,
} from './wait.ts';

/** More of them are resolved before the activity has ended. */
const MAX_PARTS = 4000;
/** An activity inside that has more parts counts as one. */
const MAX_INNER_PARTS = 500;
/** A run counts as on a processor if it was there for all but so much: clocks differ, and hooks take time. */
const MIN_OFF_NS = 1e6;
const MIN_OFF_SHARE = 0.03;
/** Less is what it takes to wake a thread of the pool. */
const MIN_QUEUE_NS = 1e6;
/** Stacks of its own runs. */
const MAX_STACKS = 64;
const MAX_CHAIN = 200;

export class ActivityTime {
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
  /** What is not in its account yet, in order: its own code, and waits, which the activities inside explain. */
  #pieces: (Stretch | Wait)[] = NO_PIECES;
  /** When it is over, its last ones, for the activity around it. */
  #stretches: Stretch[] = NO_STRETCHES;
  #account: Account | undefined;
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
    this.#addOwn(startNs, endNs, run);
    this.#cursorNs = endNs;
    if (this.#pieces.length + this.#inside.length > MAX_PARTS) this.#compact();
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
    this.#resolve(true);
    for (const inner of this.#inside) this.#count(inner);
    this.#inside = NONE;
    // An activity around it needs to know when it was in which state; if that is too much, only how long it took.
    if (this.#stretches.length > MAX_INNER_PARTS) this.#stretches = NO_STRETCHES;
  }

  #push(piece: Stretch | Wait): void {
    if (this.#pieces === NO_PIECES) this.#pieces = [piece];
    else this.#pieces.push(piece);
  }

  /** Takes the next of its time, now that the reason is known. */
  #settle(stretch: Stretch): void {
    this.#account ??= new Account();
    this.#account.add(stretch);
    if (this.activity.parent === undefined) return;
    if (this.#stretches === NO_STRETCHES) this.#stretches = [stretch];
    else this.#stretches.push(stretch);
  }

  #addOwn(startNs: number, endNs: number, run: LoopRun): void {
    let collectedNs = 0;
    let atNs = startNs;
    for (const each of run.collections) {
      const to = Math.min(each.endNs, endNs);
      collectedNs += Math.max(0, to - Math.max(each.startNs, atNs));
      atNs = Math.max(atNs, to);
    }
    const durationNs = run.endNs - run.startNs;
    let offNs = run.cpuNs === undefined ? 0 : Math.max(0, durationNs - Math.max(run.cpuNs, collectedNs));
    if (offNs < Math.max(MIN_OFF_NS, durationNs * MIN_OFF_SHARE)) offNs = 0;
    const preemptedNs = Math.min(offNs, run.processorWaitNs ?? 0);
    const off = { preemptedNs, blockedNs: offNs - preemptedNs };
    // Where in the run that was is unknown: in a part of the run, so much of it may be elsewhere.
    const otherwise = durationNs > endNs - startNs ? RUNNING : undefined;
    atNs = startNs;
    for (const each of run.collections) {
      const from = Math.max(each.startNs, atNs);
      const to = Math.min(each.endNs, endNs);
      if (to <= from) continue;
      this.#addRan(atNs, from, run, off, otherwise);
      this.#push({ startNs: from, endNs: to, state: 'collection', what: 'its own code', run });
      atNs = to;
    }
    this.#addRan(atNs, endNs, run, off, otherwise);
    if (run.stacks === undefined) return;
    this.stacks ??= new Map();
    for (const [stack, samples] of run.stacks) {
      if (this.stacks.size < MAX_STACKS || this.stacks.has(stack)) {
        this.stacks.set(stack, (this.stacks.get(stack) ?? 0) + samples);
      }
    }
  }

  /** @param off how much of the run on no processor is left to divide */
  #addRan(
    startNs: number,
    endNs: number,
    run: LoopRun,
    off: { preemptedNs: number; blockedNs: number },
    otherwise: StateOf | undefined,
  ): void {
    const preemptedNs = Math.min(off.preemptedNs, endNs - startNs);
    const blockedNs = Math.min(off.blockedNs, endNs - startNs - preemptedNs);
    off.preemptedNs -= preemptedNs;
    off.blockedNs -= blockedNs;
    const preemptedFrom = endNs - preemptedNs;
    const blockedFrom = preemptedFrom - blockedNs;
    if (blockedFrom > startNs)
      this.#push({ startNs, endNs: blockedFrom, ...RUNNING, otherwise: undefined, run });
    if (blockedNs > 0) {
      const blocked = run.processorWaitNs === undefined ? OFF_PROCESSOR : BLOCKED;
      this.#push({ startNs: blockedFrom, endNs: preemptedFrom, ...blocked, otherwise, run });
    }
    if (preemptedNs > 0) this.#push({ startNs: preemptedFrom, endNs, ...PREEMPTED, otherwise, run });
  }

  /** @param run the one that ends the wait; undefined for its Stop, which another run may contain */
  #addWait(endNs: number, run: LoopRun | undefined): void {
    const startNs = this.#cursorNs;
    const { loop } = this;
    if (loop === undefined || !loop.hasRuns) {
      const parts = [{ startNs, endNs, run: undefined, isShort: false, kind: 'blind' } as const];
      const woken = { state: NOT_OBSERVED, isCertain: false, queue: undefined, wokenByNs: endNs };
      this.#push({ startNs, endNs, parts, ...woken });
      return;
    }
    const last = run ?? loop.runAt(endNs);
    // The wait ends in it.
    const by = last !== undefined && endNs <= last.endNs ? last : undefined;
    const ready = run === undefined ? this.#readyBefore(endNs, by) : readyBefore(run, endNs);
    const ofItself = this.#runsInside;
    this.#runsInside = NO_RUNS;
    const woken = this.#stateOf(run, by);
    this.#push({
      startNs,
      endNs,
      parts: partsOf(loop, { startNs, endNs }, ready, ofItself),
      ...woken,
      queue: woken.state.state === 'threadPool' ? queueOf(loop, by, startNs) : undefined,
      wokenByNs: by?.endNs ?? endNs,
    });
  }

  /** Its Stop was written in a callback of the run, which may have become ready since the loop last waited. */
  #readyBefore(endNs: number, last: LoopRun | undefined): Ready {
    const fromNs = last === undefined ? endNs : (this.loop?.busySince(endNs) ?? endNs);
    return { fromNs, byNs: endNs };
  }

  #stateOf(run: LoopRun | undefined, last: LoopRun | undefined): Pick<Wait, 'state' | 'isCertain'> {
    const ofCall = stateOfCall(this.activity.name);
    if (ofCall !== undefined && !this.#hasRun) return { state: ofCall, isCertain: false };
    const by = run ?? last;
    const isEnd = run === undefined || run.endNs >= (this.activity.endNs ?? Number.POSITIVE_INFINITY);
    if (this.isAborted && isEnd)
      return { state: { state: 'unknown', what: UNKNOWN.aborted }, isCertain: false };
    if (by === undefined) return { state: { state: 'unknown', what: UNKNOWN.noWaker }, isCertain: false };
    if (by.isOwnCallback && by.activity !== undefined && wholeOf(by.activity) === wholeOf(this.activity)) {
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
    const whole = wholeOf(this.activity);
    const isRelated = wokenBy !== undefined && (isInside(wokenBy, whole) || isInside(whole, wokenBy));
    const state = this.#stateOfWaker(waker);
    if (isRelated) return state;
    // A callback of another activity that goes on let it go on: the two share a queue, a pool or a lock.
    const isOfOther = wokenBy !== undefined && (wokenBy.endNs ?? run.startNs) >= run.startNs;
    if (isOfOther) return { state: 'pool', what: `its turn, until ${wokenByLabel} let it go on` };
    if (state.state === 'timer') return { state: 'unknown', what: UNKNOWN.outside };
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
    this.#stretches = NO_STRETCHES;
  }

  /** @param isWhole whether the last of its time is known */
  #resolve(isWhole: boolean): void {
    let inside = this.#inside;
    if (inside !== NONE) {
      inside = inside.filter(({ activity: { state, endNs } }) => state === 'stopped' && endNs !== undefined);
      if (inside.length > 1) inside.sort((a, b) => endOf(a) - endOf(b));
    }
    const deciding =
      isWhole && inside.length > 1
        ? decidingSteps(
            this.#pieces.filter((piece) => 'parts' in piece),
            inside,
          )
        : NO_STEPS;
    let step = 0;
    for (const piece of this.#pieces) {
      if (!('parts' in piece)) {
        this.#settle(piece);
        continue;
      }
      while (step < deciding.length && (deciding[step] as (typeof deciding)[0]).endNs <= piece.startNs)
        step++;
      this.#resolveWait(piece, inside, deciding[step]);
    }
    this.#pieces = NO_PIECES;
  }

  /** @param deciding what it waited for in the end, then or later */
  #resolveWait(
    wait: Wait,
    inside: readonly ActivityTime[],
    deciding: PathStep<ActivityTime> | undefined,
  ): void {
    const { parts, state, queue, startNs, endNs } = wait;
    let path: readonly PathStep<ActivityTime>[] = NO_STEPS;
    if (deciding !== undefined && deciding.startNs <= startNs && deciding.endNs > endNs) {
      path = [{ startNs, endNs, inner: deciding.inner }];
    } else if (inside.length > 0) path = pathOf(wait, inside);
    // What woke it says nothing about the time before a loss.
    const lastBlind = parts.findLastIndex(({ kind }) => kind === 'blind');
    const lost = state.what === UNKNOWN.notObserved ? state : LOST;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as WaitPart;
      const reason = i <= lastBlind ? lost : state;
      if (part.kind === 'held' || part.kind === 'maybeHeld') this.#addHeld(part, reason, path);
      else this.#addWaiting(part, reason, path, reason === state ? queue : undefined);
    }
  }

  #addHeld(part: WaitPart, state: StateOf, path: readonly PathStep<ActivityTime>[]): void {
    const { startNs, endNs, isShort, kind } = part;
    const step = path.find((each) => each.startNs <= startNs && each.endNs >= endNs);
    const waiting: StateOf = step === undefined ? state : { state: 'child', what: step.inner.label };
    const otherwise = kind === 'held' ? undefined : waiting;
    const run = isShort ? undefined : part.run;
    const what = isShort ? SHORT_RUNS : (part.run?.label ?? NO_RUN);
    let atNs = startNs;
    // In the run of something else, collections are a part of that, unless it did little else.
    for (const each of isMostlyCollection(run) ? (run?.collections ?? []) : []) {
      const from = Math.min(Math.max(each.startNs, atNs), endNs);
      const to = Math.min(Math.max(each.endNs, from), endNs);
      if (from > atNs) this.#settle({ startNs: atNs, endNs: from, state: 'held', what, otherwise, run });
      if (to > from) this.#settle({ startNs: from, endNs: to, state: 'collection', what, otherwise, run });
      atNs = to;
    }
    if (endNs > atNs) this.#settle({ startNs: atNs, endNs, state: 'held', what, otherwise, run });
  }

  #addWaiting(
    { startNs, endNs }: WaitPart,
    state: StateOf,
    path: readonly PathStep<ActivityTime>[],
    queue: Wait['queue'],
  ): void {
    // It may have run meanwhile.
    const otherwise = state === LOST ? LOST : undefined;
    let atNs = startNs;
    for (const { startNs: from, endNs: to, inner } of path) {
      if (to <= atNs || from >= endNs) continue;
      if (from > atNs) this.#settleWait(atNs, from, state, queue);
      const start = Math.max(from, atNs);
      atNs = Math.min(to, endNs);
      this.#addInner(inner, start, atNs, otherwise);
    }
    if (endNs > atNs) this.#settleWait(atNs, endNs, state, queue);
  }

  /** Divides a wait for the thread pool into its queue and its work. */
  #settleWait(startNs: number, endNs: number, state: StateOf, queue: Wait['queue']): void {
    const untilNs = Math.min(Math.max(queue?.untilNs ?? startNs, startNs), endNs);
    if (queue !== undefined && untilNs > startNs) this.#settle({ startNs, endNs: untilNs, ...queue.queued });
    if (endNs > untilNs) this.#settle({ startNs: untilNs, endNs, ...state });
  }

  /** What concerns the thread or a pool is the activity's own state; the rest is time in the activity inside. */
  #addInner(inner: ActivityTime, startNs: number, endNs: number, otherwise: StateOf | undefined): void {
    let atNs = startNs;
    const rest = (to: number) => {
      if (to > atNs) {
        this.#settle({
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
      this.#settle(lifted(each, inner.label, from, to, otherwise));
      atNs = to;
    }
    rest(endNs);
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
    if (!isPart(this.activity.name)) inner.#stretches = NO_STRETCHES;
  }
}

/** All activities that have none share this. */
const NONE: ActivityTime[] = [];
const NO_PIECES: (Stretch | Wait)[] = [];
const NO_STRETCHES: Stretch[] = [];
const NO_STEPS: PathStep<ActivityTime>[] = [];
const NO_RUNS: LoopRun[] = [];
const NO_CALLS: Calls<ActivityTime>[] = [];
const NOT_OBSERVED: StateOf = { state: 'unknown', what: UNKNOWN.notObserved };
const RUNNING: StateOf = { state: 'running', what: '' };
const LOST: StateOf = { state: 'unknown', what: UNKNOWN.lost };

function isMostlyCollection(run: LoopRun | undefined): boolean {
  if (run === undefined) return false;
  let ns = 0;
  for (const { startNs, endNs } of run.collections) ns += endNs - startNs;
  return 2 * ns > run.endNs - run.startNs;
}

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

/** The time at which the callback of a run became ready. */
function readyBefore({ lateNs, lateAtMostNs }: LoopRun, startNs: number): Ready {
  return { fromNs: startNs - lateAtMostNs, byNs: startNs - lateNs };
}

/** The part of a wait for the thread pool in which the job was in its queue. */
function queueOf({ pool }: LoopRuns, run: LoopRun | undefined, startNs: number): Wait['queue'] {
  const untilNs = run?.jobFromNs;
  if (untilNs === undefined || untilNs < startNs + MIN_QUEUE_NS) return undefined;
  return { untilNs, queued: pool.queuedBetween(startNs, untilNs) };
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
