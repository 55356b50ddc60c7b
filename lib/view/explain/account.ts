/** Where the time of an activity went: its duration, divided into states that add up to it exactly. */
import type { LoopRun } from './loop-runs.ts';
import { type State, type StateOf, type Stretch, UNKNOWN } from './states.ts';

/** The time in one state with one reason. */
export interface AccountEntry extends StateOf {
  /** Over an account, these add up to the duration. */
  ns: number;
  /** The part that is certain: the rest may have been another state. */
  atLeastNs: number;
  /** The time includes what other entries may have been instead. */
  atMostNs: number;
  /** Counts the stretches; neighbours count as one. */
  stretches: number;
  /** The states of the activity inside, if this is `child`. */
  readonly inner: ReadonlyMap<State, number> | undefined;
  /** How many jobs filled the queue of the thread pool at most, if it is that. */
  jobs: number;
}

interface MutableEntry extends AccountEntry {
  inner: Map<State, number> | undefined;
}

/** How long a run of the thread held the activity. */
interface Hold {
  readonly run: LoopRun;
  ns: number;
}

/** Reasons of an account; further ones are not told apart. */
const MAX_ENTRIES = 300;
const MAX_HOLDS = 32;
/** So many are searched one by one. */
const FEW_ENTRIES = 12;

export class Account {
  /** The sum of all entries. */
  totalNs = 0;
  /** The order is that of appearance: most accounts have few. */
  readonly #entries: MutableEntry[] = [];
  /** Contains the same, longest first; undefined since something was added. */
  #sorted: readonly AccountEntry[] | undefined;
  #byReason: Map<string, MutableEntry> | undefined;
  #holds: Hold[] | undefined;
  #last: Stretch | undefined;

  /** The entries are sorted, longest first. */
  get entries(): readonly AccountEntry[] {
    if (this.#entries.length < 2) return this.#entries;
    this.#sorted ??= [...this.#entries].sort((a, b) => b.ns - a.ns);
    return this.#sorted;
  }

  /** The longest ones, longest first. */
  get holds(): readonly Hold[] {
    return this.#holds === undefined ? [] : longestOf(this.#holds);
  }

  /** Takes each stretch after the one where it starts. */
  add(stretch: Stretch): void {
    const { startNs, endNs, reason, otherwise, run, inner } = stretch;
    const { state, what, jobs = 0 } = reason;
    const ns = endNs - startNs;
    this.#sorted = undefined;
    const entry = this.#entryOf(state, what);
    const last = this.#last;
    const isNext = last?.reason.state === state && last.reason.what === what && last.inner === inner;
    if (!isNext) entry.stretches++;
    this.#last = stretch;
    this.totalNs += ns;
    entry.ns += ns;
    entry.atMostNs += ns;
    entry.jobs = Math.max(entry.jobs, jobs);
    if (otherwise === undefined) entry.atLeastNs += ns;
    else this.#entryOf(otherwise.state, otherwise.what).atMostNs += ns;
    if (inner !== undefined) {
      entry.inner ??= new Map();
      entry.inner.set(inner, (entry.inner.get(inner) ?? 0) + ns);
    }
    if (run !== undefined) this.#addHold(run, ns);
  }

  /** All time in a state. */
  nsOf(state: State): number {
    let ns = 0;
    for (const entry of this.#entries) if (entry.state === state) ns += entry.ns;
    return ns;
  }

  #entryOf(state: State, what: string): MutableEntry {
    const known = this.#find(state, what);
    if (known !== undefined) return known;
    if (this.#entries.length >= MAX_ENTRIES && what !== REST) return this.#entryOf(state, REST);
    const entry = { state, what, ns: 0, atLeastNs: 0, atMostNs: 0, stretches: 0, inner: undefined, jobs: 0 };
    this.#entries.push(entry);
    this.#byReason?.set(`${state} ${what}`, entry);
    return entry;
  }

  #find(state: State, what: string): MutableEntry | undefined {
    if (this.#entries.length > FEW_ENTRIES) {
      this.#byReason ??= new Map(this.#entries.map((each) => [`${each.state} ${each.what}`, each]));
      return this.#byReason.get(`${state} ${what}`);
    }
    for (const entry of this.#entries) if (entry.state === state && entry.what === what) return entry;
    return undefined;
  }

  #addHold(run: LoopRun, ns: number): void {
    this.#holds ??= [];
    const last = this.#holds.at(-1);
    if (last?.run === run) last.ns += ns;
    else this.#holds.push({ run, ns });
    if (this.#holds.length >= 4 * MAX_HOLDS) this.#holds = longestOf(this.#holds);
  }
}

function longestOf(holds: readonly Hold[]): Hold[] {
  return [...holds].sort((a, b) => b.ns - a.ns).slice(0, MAX_HOLDS);
}

const REST = UNKNOWN.tooMuch;
