/** Where the time of an activity went: its duration, divided into states that add up to it exactly. */
import type { LoopRun } from './loop-runs.ts';
import { STATES, type State, type StateOf, type Stretch, UNKNOWN } from './states.ts';

/** The time in one state with one reason. */
export interface AccountEntry extends StateOf {
  /** Over an account, these add up to the duration. */
  ns: number;
  /** As far as it is certain: the rest may have been another state. */
  atLeastNs: number;
  /** Including what other entries may have been instead. */
  atMostNs: number;
  /** In how many stretches, neighbours counting as one. */
  stretches: number;
  /** For `child`: the states of the activity inside. */
  readonly inner: Map<State, number>;
}

/** How long a run of the thread held the activity. */
export interface Hold {
  readonly run: LoopRun;
  ns: number;
}

/** Reasons of an account; further ones are not told apart. */
const MAX_ENTRIES = 300;
const MAX_HOLDS = 32;

export class Account {
  /** The sum of all entries. */
  totalNs = 0;
  readonly #entries = new Map<string, AccountEntry>();
  #holds: Hold[] = [];
  #last: Stretch | undefined;

  /** Longest first. */
  get entries(): readonly AccountEntry[] {
    return [...this.#entries.values()].filter(({ atMostNs }) => atMostNs > 0).sort((a, b) => b.ns - a.ns);
  }

  /** The longest ones, longest first. */
  get holds(): readonly Hold[] {
    return this.#longestHolds();
  }

  /** Takes stretches in order. */
  add(stretch: Stretch): void {
    const { state, startNs, endNs, otherwise, run, inner } = stretch;
    const ns = endNs - startNs;
    const entry = this.#entryOf(stretch);
    const last = this.#last;
    const isNext =
      last?.endNs === startNs && last.state === state && last.what === stretch.what && last.inner === inner;
    if (!isNext) entry.stretches++;
    this.#last = stretch;
    this.totalNs += ns;
    entry.ns += ns;
    entry.atMostNs += ns;
    if (otherwise === undefined) entry.atLeastNs += ns;
    else this.#entryOf(otherwise).atMostNs += ns;
    if (inner !== undefined) entry.inner.set(inner, (entry.inner.get(inner) ?? 0) + ns);
    if (state === 'held' && run !== undefined) this.#addHold(run, ns);
  }

  /** All time in a state. */
  nsOf(state: State): number {
    let ns = 0;
    for (const entry of this.#entries.values()) if (entry.state === state) ns += entry.ns;
    return ns;
  }

  #entryOf({ state, what }: StateOf): AccountEntry {
    const key = `${state} ${what}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const isRest = this.#entries.size >= MAX_ENTRIES && what !== REST;
    if (isRest) return this.#entryOf({ state, what: REST });
    const entry = { state, what, ns: 0, atLeastNs: 0, atMostNs: 0, stretches: 0, inner: new Map() };
    this.#entries.set(key, entry);
    return entry;
  }

  #addHold(run: LoopRun, ns: number): void {
    const last = this.#holds.at(-1);
    if (last?.run === run) last.ns += ns;
    else this.#holds.push({ run, ns });
    if (this.#holds.length >= 4 * MAX_HOLDS) this.#holds = this.#longestHolds();
  }

  #longestHolds(): Hold[] {
    return [...this.#holds].sort((a, b) => b.ns - a.ns).slice(0, MAX_HOLDS);
  }
}

const REST = UNKNOWN.tooMuch;

/** The order in which states of equal length are shown. */
export function stateOrder(state: State): number {
  return STATES.indexOf(state);
}
