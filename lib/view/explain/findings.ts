/**
 * What the accounts of a trace's activities say together: what is usual for each kind, the slowest of each, what all of
 * them waited for, and which calls they repeat. It retains a few activities of each kind.
 */
import { Quantiles } from '../quantiles.ts';
import type { AccountEntry } from './account.ts';
import type { ActivityTime } from './activity-time.ts';
import { ModuleLoads } from './calls.ts';
import type { LoopRun } from './loop-runs.ts';
import { type State, type StateOf, stateOfCall } from './states.ts';

/** All activities of one kind: of one name and label. */
export interface KindFindings {
  readonly name: string;
  readonly label: string;
  readonly durations: Quantiles;
  count: number;
  failed: number;
  totalNs: number;
  /** The key is made of state and reason. */
  readonly waits: Waits;
  /** The key is the label of what activities of this kind call again and again. */
  readonly repeated: Map<string, RepeatedCalls>;
  /** The slowest that are asked for, slowest first. */
  slowest: ActivityTime[];
}

/** One reason, over all activities. */
export interface WaitFinding extends StateOf {
  ns: number;
  activities: number;
}

/** Calls with the same label inside one activity. */
export interface RepeatedCalls {
  /** How many activities repeat them. */
  activities: number;
  calls: number;
  mostCalls: number;
  /** Whether each starts when the one before has ended. */
  inTurn: number;
  totalNs: number;
  readonly startedAt: string | undefined;
}

/** An activity, compared to its kind. */
export interface Finding {
  readonly time: ActivityTime;
  readonly kind: KindFindings;
  /** 1 for the slowest of its kind. */
  readonly rank: number;
  /** Median of its kind. */
  readonly usualNs: number;
  readonly durationNs: number;
  /** What made it slow: its longest state, or the one that is longest beyond what is usual. */
  readonly cause: AccountEntry | undefined;
}

const MAX_KINDS = 5000;
const MAX_WAITS = 1000;
/** So many calls with one label count as repeated. */
const REPEATED = 5;
/** An activity is slow against its kind from this factor on, if there are enough to compare it to. */
const SLOW = 1.5;
const COMPARABLE = 5;
/** An event loop that runs something for longer is blocked. */
const BLOCK_NS = 50e6;
const MAX_BLOCKS = 10;

interface FindingOptions {
  /** How many activities to find. */
  readonly slowest: number;
  /** How many of each kind; by default, as many. */
  readonly slowestOfKind?: number;
  /** Whether activities were asked for, rather than all at the top. */
  readonly isChosen: boolean;
  /** Whether it is the one that the trace was written for, which comes first. */
  readonly isFirst?: (time: ActivityTime) => boolean;
  /** Further conditions, known when an activity has ended. */
  readonly isWanted?: (time: ActivityTime) => boolean;
}

export class Findings {
  /** Counts the activities at the top. */
  count = 0;
  /** The runs that blocked event loops. */
  readonly blocks: LongestRuns = new LongestRuns(BLOCK_NS, MAX_BLOCKS);
  /** The modules that were loaded, in activities or outside of them. */
  readonly modules: ModuleLoads = new ModuleLoads();
  /** Runs that held others, by what ran, and how long all activities at the top waited for them. */
  readonly waits: Waits = new Waits();
  readonly #options: FindingOptions;
  readonly #kinds = new Kinds();
  /** Calls without an activity around them: of interest only if nothing else is at the top. */
  readonly #calls = new Kinds();

  #first: { readonly kind: KindFindings; readonly time: ActivityTime } | undefined;

  constructor(options: FindingOptions) {
    this.#options = options;
  }

  get kinds(): readonly KindFindings[] {
    return [...this.#used().all].sort((a, b) => b.totalNs - a.totalNs);
  }

  addRun(run: LoopRun): void {
    this.blocks.add(run);
  }

  add(time: ActivityTime): void {
    const { activity } = time;
    if (activity.state !== 'stopped' && activity.state !== 'killed') return;
    const { parent } = activity;
    if (parent === undefined && time.modules !== undefined) this.modules.add(time.modules);
    const isTop = parent === undefined || stateOfCall(parent.name) !== undefined;
    const isCandidate = this.#options.isChosen ? time.isSelected : isTop;
    const isFirst = this.#options.isFirst?.(time) ?? false;
    if (!isCandidate && !isTop && !isFirst) return;
    const isCall = stateOfCall(activity.name) !== undefined;
    const kinds = isCall && !this.#options.isChosen ? this.#calls : this.#kinds;
    const kind = kinds.of(time);
    this.#count(kind, time);
    if (isFirst) this.#first = { kind, time };
    if (isTop && !isCall) this.#countTop(time);
    if (isCandidate && (this.#options.isWanted?.(time) ?? true)) {
      keepSlowest(kind, time, this.#options.slowestOfKind ?? this.#options.slowest);
    }
  }

  /** The slowest: against their own kind, one of each kind first. */
  findings(): Finding[] {
    const slowest = this.#slowest();
    if (this.#first === undefined || this.#options.isChosen) return slowest;
    const { kind, time } = this.#first;
    const rank = kind.durations.countAbove(time.account.totalNs) + 1;
    const first =
      slowest.find((each) => each.time === time) ?? finding(kind, kind.durations.at(0.5), time, rank);
    return [first, ...slowest.filter((each) => each !== first)].slice(0, this.#options.slowest);
  }

  #slowest(): Finding[] {
    const all: Finding[] = [];
    for (const kind of this.#used().all) {
      const usualNs = kind.durations.at(0.5);
      for (const [index, time] of kind.slowest.entries()) all.push(finding(kind, usualNs, time, index + 1));
    }
    if (this.#options.isChosen) {
      return all.sort((a, b) => b.durationNs - a.durationNs).slice(0, this.#options.slowest);
    }
    const firsts = all.filter(({ rank }) => rank === 1).sort(byExcess);
    const others = all.filter(({ rank }) => rank > 1).sort(byExcess);
    return [...firsts, ...others].slice(0, this.#options.slowest).sort(byExcess);
  }

  #used(): Kinds {
    return this.#kinds.all.length > 0 ? this.#kinds : this.#calls;
  }

  #count(kind: KindFindings, time: ActivityTime): void {
    const { account, activity, calls } = time;
    const durationNs = account.totalNs;
    kind.count++;
    kind.totalNs += durationNs;
    kind.durations.add(durationNs);
    if (activity.isFailed) kind.failed++;
    for (const entry of account.entries) kind.waits.add(entry);
    for (const each of calls) {
      if (each.count < REPEATED) continue;
      const { label } = each;
      const known = kind.repeated.get(label);
      const { startedAt } = each;
      const repeated = known ?? { activities: 0, calls: 0, mostCalls: 0, inTurn: 0, totalNs: 0, startedAt };
      repeated.activities++;
      repeated.calls += each.count;
      repeated.mostCalls = Math.max(repeated.mostCalls, each.count);
      repeated.totalNs += each.totalNs;
      if (each.inTurn > each.count / 2) repeated.inTurn++;
      if (known === undefined && kind.repeated.size < MAX_WAITS) kind.repeated.set(label, repeated);
    }
  }

  #countTop({ account }: ActivityTime): void {
    this.count++;
    for (const entry of account.entries) this.waits.add(entry);
    for (const { run, ns } of account.holds) {
      run.victims++;
      run.lostNs += ns;
    }
  }
}

/** The kinds by name and label; those beyond the limit are one. */
class Kinds {
  readonly all: KindFindings[] = [];
  readonly #byName = new Map<string, Map<string, KindFindings>>();

  of({ activity: { name }, label }: ActivityTime): KindFindings {
    const known = this.#byName.get(name)?.get(label);
    if (known !== undefined) return known;
    return this.all.length < MAX_KINDS ? this.#add(name, label) : this.#rest();
  }

  #rest(): KindFindings {
    return this.#byName.get(REST)?.get(REST) ?? this.#add(REST, REST);
  }

  #add(name: string, label: string): KindFindings {
    const kind: KindFindings = {
      name,
      label,
      durations: new Quantiles(),
      count: 0,
      failed: 0,
      totalNs: 0,
      waits: new Waits(),
      repeated: new Map(),
      slowest: [],
    };
    this.all.push(kind);
    const ofName = this.#byName.get(name) ?? new Map<string, KindFindings>();
    this.#byName.set(name, ofName.set(label, kind));
    return kind;
  }
}

/** What activities waited for, by state and reason. */
class Waits {
  readonly all: WaitFinding[] = [];
  readonly #byState = new Map<State, Map<string, WaitFinding>>();

  add({ state, what, ns }: AccountEntry): void {
    if (ns === 0) return;
    const known = this.of(state, what);
    if (known !== undefined) {
      known.ns += ns;
      known.activities++;
    } else if (this.all.length < MAX_WAITS) {
      const wait = { state, what, ns, activities: 1 };
      this.all.push(wait);
      const ofState = this.#byState.get(state) ?? new Map<string, WaitFinding>();
      this.#byState.set(state, ofState.set(what, wait));
    }
  }

  of(state: State, what: string): WaitFinding | undefined {
    return this.#byState.get(state)?.get(what);
  }
}

const REST = '(further kinds)';

function keepSlowest(kind: KindFindings, time: ActivityTime, count: number): void {
  const { slowest } = kind;
  const last = slowest.at(-1);
  if (slowest.length >= count && last !== undefined && last.account.totalNs >= time.account.totalNs) return;
  const at = slowest.findIndex(({ account }) => account.totalNs < time.account.totalNs);
  slowest.splice(at < 0 ? slowest.length : at, 0, time);
  if (slowest.length > count) slowest.pop();
}

function finding(kind: KindFindings, usual: number | undefined, time: ActivityTime, rank: number): Finding {
  const durationNs = time.account.totalNs;
  const usualNs = usual ?? durationNs;
  const isSlow = kind.count >= COMPARABLE && durationNs >= SLOW * usualNs;
  const beyondUsual = (entry: AccountEntry) => {
    if (!isSlow) return entry.ns;
    const all = kind.waits.of(entry.state, entry.what)?.ns ?? 0;
    return entry.ns - (all - entry.ns) / (kind.count - 1);
  };
  const [cause] = [...time.account.entries].sort((a, b) => beyondUsual(b) - beyondUsual(a));
  return { time, kind, rank, usualNs, durationNs, cause };
}

/** Sorts by how much they are slower than what is usual, which the only ones of a kind do not tell. */
function byExcess(a: Finding, b: Finding): number {
  return excessNs(b) - excessNs(a) || b.durationNs - a.durationNs;
}

function excessNs({ kind, durationNs, usualNs }: Finding): number {
  return kind.count < COMPARABLE ? durationNs : durationNs - usualNs;
}

/** The runs that blocked an event loop longest, in one activity or in none. */
export class LongestRuns {
  readonly limitNs: number;
  /** Counts the runs that were longer than the limit. */
  count = 0;
  /** The longest first. */
  readonly runs: LoopRun[] = [];
  readonly #kept: number;

  constructor(limitNs: number, kept: number) {
    this.limitNs = limitNs;
    this.#kept = kept;
  }

  add(run: LoopRun): void {
    const ns = run.endNs - run.startNs;
    if (ns <= this.limitNs) return;
    this.count++;
    const at = this.runs.findIndex(({ startNs, endNs }) => endNs - startNs < ns);
    this.runs.splice(at < 0 ? this.runs.length : at, 0, run);
    if (this.runs.length > this.#kept) this.runs.pop();
  }
}

/** The run that held an activity longest. */
export function longestHold(
  { account }: ActivityTime,
  what: string,
): { run: LoopRun; ns: number } | undefined {
  return account.holds.find(({ run }) => run.label === what);
}
