/**
 * The time of one activity, divided into states without a gap: its account and, for the activity around it, when it was
 * in which. A wait becomes time in the activities inside, where these explain it.
 */
import { Account } from './account.ts';
import type { LoopRun } from './loop-runs.ts';
import {
  BLOCKED,
  LOST,
  NO_RUN,
  NOT_OBSERVED,
  OFF_PROCESSOR,
  PREEMPTED,
  RUNNING,
  SHORT_RUNS,
  type State,
  type StateOf,
  type Stretch,
} from './states.ts';
import { type InnerTime, type PathStep, pathOf, type Wait, type WaitPart } from './wait.ts';

/** A run counts as on a processor if it was there for all but so much: clocks differ, and hooks take time. */
const MIN_OFF_NS = 1e6;
const MIN_OFF_SHARE = 0.03;
const MAX_CHAIN = 200;

export class AccountedTime {
  readonly account: Account = new Account();
  /** The first one; each has the next. */
  stretches: Stretch | undefined;
  /** How many there are. */
  count = 0;
  readonly #keepsStretches: boolean;
  #last: Stretch | undefined;
  #untilNs: number;

  /** @param keepsStretches whether there is an activity around it */
  constructor(startNs: number, keepsStretches: boolean) {
    this.#untilNs = startNs;
    this.#keepsStretches = keepsStretches;
  }

  dropStretches(): void {
    this.stretches = this.#last = undefined;
    this.count = 0;
  }

  addUnobserved(endNs: number): void {
    this.#add(endNs, NOT_OBSERVED);
  }

  /** Takes the next of the activity's own runs, or the part of it until then. */
  addRun(run: LoopRun, endNs: number): void {
    const startNs = this.#untilNs;
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
    for (const each of run.collections) {
      const to = Math.min(each.endNs, endNs);
      if (to <= Math.max(each.startNs, this.#untilNs)) continue;
      this.#addRan(each.startNs, run, off, otherwise);
      this.#add(to, OWN_COLLECTION);
    }
    this.#addRan(endNs, run, off, otherwise);
  }

  /** @param off how much of the run on no processor is left to divide */
  #addRan(
    endNs: number,
    run: LoopRun,
    off: { preemptedNs: number; blockedNs: number },
    otherwise: StateOf | undefined,
  ): void {
    const ns = Math.max(0, endNs - this.#untilNs);
    const preemptedNs = Math.min(off.preemptedNs, ns);
    const blockedNs = Math.min(off.blockedNs, ns - preemptedNs);
    off.preemptedNs -= preemptedNs;
    off.blockedNs -= blockedNs;
    const preemptedFrom = endNs - preemptedNs;
    this.#add(preemptedFrom - blockedNs, RUNNING);
    this.#add(preemptedFrom, run.processorWaitNs === undefined ? OFF_PROCESSOR : BLOCKED, otherwise);
    this.#add(endNs, PREEMPTED, otherwise);
  }

  /**
   * Takes the next wait.
   *
   * @param inside the activities inside that have ended, in order of their ends
   * @param deciding what it waited for in the end, then or later
   */
  addWait(wait: Wait, inside: readonly InnerTime[], deciding: PathStep | undefined): void {
    const { parts, state, queue, startNs, endNs } = wait;
    let path: readonly PathStep[] = NO_STEPS;
    if (deciding !== undefined && deciding.startNs <= startNs && deciding.endNs > endNs) {
      path = [{ startNs, endNs, inner: deciding.inner }];
    } else if (inside.length > 0) path = pathOf(wait, inside);
    // What woke it says nothing about the time before a loss.
    let lastBlind: WaitPart | undefined;
    for (let part = parts; part !== undefined; part = part.next) if (part.kind === 'blind') lastBlind = part;
    const lost = state === NOT_OBSERVED ? state : LOST;
    let reason = lastBlind === undefined ? state : lost;
    for (let part = parts; part !== undefined; part = part.next) {
      if (part.kind === 'held' || part.kind === 'maybeHeld') this.#addHeld(part, reason, path);
      else this.#addWaiting(part.endNs, reason, path, reason === state ? queue : undefined);
      if (part === lastBlind) reason = state;
    }
  }

  #addHeld(
    { startNs, endNs, isShort, kind, run }: WaitPart,
    state: StateOf,
    path: readonly PathStep[],
  ): void {
    const step = path.find((each) => each.startNs <= startNs && each.endNs >= endNs);
    const waiting: StateOf = step === undefined ? state : { state: 'child', what: step.inner.label };
    const otherwise = kind === 'held' ? undefined : waiting;
    const what = isShort ? SHORT_RUNS : (run?.label ?? NO_RUN);
    const held: StateOf = { state: 'held', what };
    if (isShort || run === undefined) {
      this.#add(endNs, held, otherwise);
      return;
    }
    // In the run of something else, collections are a part of that, unless it did little else.
    if (isMostlyCollection(run)) {
      const collection: StateOf = { state: 'collection', what };
      for (const each of run.collections) {
        this.#add(Math.min(each.startNs, endNs), held, otherwise, run);
        this.#add(Math.min(each.endNs, endNs), collection, otherwise);
      }
    }
    this.#add(endNs, held, otherwise, run);
  }

  #addWaiting(endNs: number, state: StateOf, path: readonly PathStep[], queue: Wait['queue']): void {
    // It may have run meanwhile.
    const otherwise = state === LOST ? LOST : undefined;
    for (const { startNs, endNs: stepEndNs, inner } of path) {
      if (stepEndNs <= this.#untilNs || startNs >= endNs) continue;
      this.#addReason(startNs, state, queue);
      this.#addInner(inner, Math.min(stepEndNs, endNs), otherwise);
    }
    this.#addReason(endNs, state, queue);
  }

  /** Divides a wait for the thread pool into its queue and its work. */
  #addReason(endNs: number, state: StateOf, queue: Wait['queue']): void {
    if (queue !== undefined) this.#add(Math.min(queue.untilNs, endNs), queue.queued);
    this.#add(endNs, state);
  }

  /** What concerns the thread or a pool is the activity's own state; the rest is time in the activity inside. */
  #addInner({ label, stretches }: InnerTime, endNs: number, lost: StateOf | undefined): void {
    const child: StateOf = { state: 'child', what: label };
    for (let each = stretches; each !== undefined && this.#untilNs < endNs; each = each.next) {
      if (each.endNs <= this.#untilNs) continue;
      this.#add(Math.min(each.startNs, endNs), child, lost, undefined, 'unknown');
      const { reason, otherwise, run, inner } = each;
      const { state, what } = reason;
      const to = Math.min(each.endNs, endNs);
      if (state === 'held' || state === 'collection' || state === 'pool') {
        this.#add(to, reason, otherwise && child, run);
      } else if (state === 'child') {
        this.#add(to, { state, what: chained(label, what) }, lost, undefined, inner);
      } else this.#add(to, child, lost, undefined, state);
    }
    this.#add(endNs, child, lost, undefined, 'unknown');
  }

  /** Takes the time since the stretch before, if there is any. */
  #add(endNs: number, reason: StateOf, otherwise?: StateOf, run?: LoopRun, inner?: State): void {
    const startNs = this.#untilNs;
    if (endNs <= startNs) return;
    this.#untilNs = endNs;
    const stretch = { startNs, endNs, reason, otherwise, run, inner, next: undefined };
    this.account.add(stretch);
    if (!this.#keepsStretches) return;
    this.count++;
    if (this.#last === undefined) this.stretches = stretch;
    else this.#last.next = stretch;
    this.#last = stretch;
  }
}

const NO_STEPS: PathStep[] = [];
const OWN_COLLECTION: StateOf = { state: 'collection', what: 'its own code' };

function isMostlyCollection({ startNs, endNs, collections }: LoopRun): boolean {
  let ns = 0;
  for (const each of collections) ns += each.endNs - each.startNs;
  return 2 * ns > endNs - startNs;
}

/** What is inside another of its kind, as modules are, is not named again. */
function chained(label: string, what: string): string {
  if (what === label || what.startsWith(`${label} › `)) return what;
  return `${label} › ${what}`.slice(0, MAX_CHAIN);
}
