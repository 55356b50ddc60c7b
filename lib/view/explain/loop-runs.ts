/**
 * What the threads of a trace ran and when their event loops waited, from the events of runs, collections and CPU
 * samples. Runs are settled some time after they were reported: collections are reported later still.
 */
import { ACTIVITY_RUN } from '../../activity/runs.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { TracedActivity } from '../traced-activity.ts';
import type { PoolQueue } from './pool-queue.ts';

/** A thread's time in one activity, or in none, until it ran something else or waited. */
export interface LoopRun {
  /** Its place among all runs of the thread. */
  readonly index: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly reportedNs: number;
  /** It is undefined for none, and if its Start is not in the trace: see `hasId`. */
  readonly activity: TracedActivity | undefined;
  /** The name of its kind. */
  label: string;
  readonly hasId: boolean;
  /** The time is undefined if it was not recorded. */
  readonly cpuNs: number | undefined;
  /** How long it waited for a processor; undefined if that was not recorded. */
  readonly processorWaitNs: number | undefined;
  readonly waker: string;
  readonly isOwnCallback: boolean;
  /** The activity in whose callback it was woken, if that is another one. */
  readonly wokenBy: TracedActivity | undefined;
  /** The name of its kind. */
  readonly wokenByLabel: string;
  readonly lateNs: number;
  readonly lateAtMostNs: number;
  /** When a thread of the pool began with the job that called back, at the earliest; undefined if that is unknown. */
  readonly jobFromNs: number | undefined;
  /** The short runs around it, if it is short: there are many of them, and they are passed over together. */
  chain: Chain | undefined;
  /** Since when the thread has been running without a pause, or longer. */
  busySinceNs: number;
  /** Whether events of runs before it are missing. */
  readonly isAfterLoss: boolean;
  /** The collections during the run, in order. */
  collections: readonly Interval[];
  /** Maps each stack to the number of its samples. */
  stacks: ReadonlyMap<SampledStack, number> | undefined;
  /** Top-level activities that were ready meanwhile, and how long. */
  victims: number;
  lostNs: number;
}

/** Short runs that follow each other without a pause or a loss. */
interface Chain {
  /** The index of the last one. */
  last: number;
}

export interface Interval {
  readonly startNs: number;
  readonly endNs: number;
}

/** What the ids of a run's event stand for. */
type RunSubjects = Pick<LoopRun, 'activity' | 'label' | 'wokenBy' | 'wokenByLabel'>;

interface Sample {
  readonly timeNs: number;
  readonly stack: SampledStack;
}

const NS_PER_MS = 1e6;
/** How long after a run collections in it are awaited. */
const SETTLES_NS = 250e6;
const SHORT_NS = 1e6;
/** Shorter waits of a loop are not noticed. */
export const PAUSE_NS = 50_000;
/** A thread keeps at least this many settled runs, at most twice as many. */
export const KEPT_RUNS = 5000;
/** A thread keeps this many runs before they are settled. */
const MAX_WAITING = 100_000;
const PROVIDERS = new Set([ACTIVITY_RUN.provider, tracepointProviderName(ACTIVITY_RUN.provider)]);

/** One thread with an event loop. */
export class LoopRuns {
  /** The thread pool of its process. */
  readonly pool: PoolQueue;
  /** The settled ones, in order. */
  #runs: LoopRun[] = [];
  /** How many settled ones are no longer kept. */
  #dropped = 0;
  #count = 0;
  #reported: LoopRun[] = [];
  #collections: Interval[] = [];
  #samples: Sample[] = [];
  #number: number | undefined;
  #lastEndNs = Number.NEGATIVE_INFINITY;
  /** Everything before is settled. */
  settledNs = Number.NEGATIVE_INFINITY;
  /** How often events of runs were missing. */
  losses = 0;

  constructor(pool: PoolQueue) {
    this.pool = pool;
  }

  get hasRuns(): boolean {
    return this.#number !== undefined;
  }

  addRun(event: TraceEvent, { activity, label, wokenBy, wokenByLabel }: RunSubjects): void {
    const { payload } = event;
    const atNs = event.nsSinceStart;
    const number = Number(payload.number);
    const startNs = Math.max(atNs - wholeNs(payload.startedAgoMSec), this.#lastEndNs);
    const endNs = Math.max(startNs, Math.min(atNs, startNs + wholeNs(payload.durationMSec)));
    const isFirst = this.#number === undefined;
    const isAfterLoss = !isFirst && number !== (Number(this.#number) + 1) >>> 0;
    if (isAfterLoss) this.losses++;
    this.#number = number;
    this.#lastEndNs = endNs;
    const lateNs = wholeNs(payload.lateMSec);
    const run: LoopRun = {
      index: this.#count++,
      startNs,
      endNs,
      reportedNs: atNs,
      activity,
      label,
      hasId: event.activityId !== undefined,
      cpuNs: readingNs(payload.cpuMSec),
      processorWaitNs: readingNs(payload.processorWaitMSec),
      waker: String(payload.wokenBy),
      isOwnCallback: payload.isOwnCallback === true,
      wokenBy,
      wokenByLabel,
      lateNs,
      lateAtMostNs: Math.max(lateNs, wholeNs(payload.lateAtMostMSec)),
      jobFromNs: agoNs(startNs, payload.jobAtMostMSec),
      chain: undefined,
      busySinceNs: Number.NEGATIVE_INFINITY,
      isAfterLoss: isAfterLoss || isFirst,
      collections: NONE,
      stacks: undefined,
      victims: 0,
      lostNs: 0,
    };
    this.#reported.push(run);
  }

  addCollection({ nsSinceStart, payload }: TraceEvent): void {
    const startNs = nsSinceStart - wholeNs(payload.startedAgoMSec);
    const endNs = startNs + wholeNs(payload.durationMSec);
    if (endNs > startNs && this.hasRuns) this.#collections.push({ startNs, endNs });
  }

  addSample(timeNs: number, stack: SampledStack): void {
    if (!this.hasRuns) return;
    if (this.#samples.length >= MAX_WAITING) this.#samples = this.#samples.slice(MAX_WAITING / 2);
    this.#samples.push({ timeNs, stack });
  }

  /** Settles the runs that were reported long enough ago, in order. */
  settle(nowNs: number, take: (run: LoopRun) => void): void {
    let count = 0;
    for (const run of this.#reported) {
      if (run.reportedNs + SETTLES_NS > nowNs && this.#reported.length - count <= MAX_WAITING) break;
      count++;
      this.#complete(run);
      this.#link(run);
      this.#runs.push(run);
      this.settledNs = run.endNs;
      take(run);
    }
    if (count > 0) this.#reported = this.#reported.slice(count);
    if (this.#runs.length >= 2 * KEPT_RUNS) {
      this.#runs = this.#runs.slice(KEPT_RUNS);
      this.#dropped += KEPT_RUNS;
    }
  }

  #link(run: LoopRun): void {
    const before = this.#runs.at(-1);
    const isNext = before !== undefined && run.startNs <= before.endNs + PAUSE_NS;
    if (before !== undefined) run.busySinceNs = isNext ? before.busySinceNs : run.startNs;
    if (!isShortRun(run)) return;
    run.chain = (isNext && !run.isAfterLoss ? before.chain : undefined) ?? { last: run.index };
    run.chain.last = run.index;
  }

  /** The run at a time, or the last one before it. */
  runAt(timeNs: number): LoopRun | undefined {
    return this.#runs[this.#indexAt(timeNs)];
  }

  /**
   * Lists what the thread did, in order: its runs, cut to the interval, and what lies between them; short runs that
   * follow each other count as one. The oldest runs are not kept: the time before is as if events were missing.
   *
   * @param apart runs that are to be told apart, in order
   */
  between(startNs: number, endNs: number, apart: readonly LoopRun[], list: TimeList): void {
    let atNs = startNs;
    let nextApart = 0;
    for (let i = Math.max(0, this.#indexAt(startNs)); i < this.#runs.length && atNs < endNs; i++) {
      let run = this.#runs[i] as LoopRun;
      if (run.startNs > atNs) {
        const end = Math.min(run.startNs, endNs);
        list.add(atNs, end, undefined, run.isAfterLoss || i === 0 ? 'lost' : 'pause');
        atNs = end;
      }
      while ((apart[nextApart]?.index ?? run.index) < run.index) nextApart++;
      const isApart = apart[nextApart] === run;
      const isShort = run.chain !== undefined && !isApart;
      if (isShort) {
        i = this.#lastInChain(run, endNs, apart[nextApart]);
        run = this.#runs[i] as LoopRun;
      }
      const end = Math.min(run.endNs, endNs);
      if (end <= atNs) continue;
      list.add(atNs, end, run, isShort ? 'short' : isApart ? 'apart' : 'run');
      atNs = end;
    }
    if (atNs < endNs) list.add(atNs, endNs, undefined, atNs >= this.settledNs ? 'lost' : 'pause');
  }

  /** The place of the last run of its chain that starts before the time, and before one that is to be told apart. */
  #lastInChain({ index, chain }: LoopRun, timeNs: number, apart: LoopRun | undefined): number {
    const last =
      Math.min(chain?.last ?? index, (apart?.index ?? Number.POSITIVE_INFINITY) - 1) - this.#dropped;
    if ((this.#runs[last] as LoopRun).startNs < timeNs) return last;
    return Math.max(index - this.#dropped, this.#indexAt(timeNs - 1));
  }

  /** Returns the index of the last settled run that starts by then; -1 if there is none. */
  #indexAt(timeNs: number): number {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle] as LoopRun).startNs <= timeNs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #complete(run: LoopRun): void {
    const { startNs, endNs } = run;
    const later = this.#collections.findIndex((each) => each.startNs >= endNs);
    const count = later < 0 ? this.#collections.length : later;
    if (count > 0) {
      run.collections = this.#collections.splice(0, count).flatMap((each) => {
        const inside = { startNs: Math.max(each.startNs, startNs), endNs: Math.min(each.endNs, endNs) };
        return inside.endNs > inside.startNs ? [inside] : [];
      });
    }
    let taken = 0;
    let stacks: Map<SampledStack, number> | undefined;
    for (const { timeNs, stack } of this.#samples) {
      if (timeNs >= endNs) break;
      taken++;
      if (timeNs < startNs) continue;
      stacks ??= new Map();
      stacks.set(stack, (stacks.get(stack) ?? 0) + 1);
    }
    if (taken > 0) this.#samples = this.#samples.slice(taken);
    run.stacks = stacks;
  }
}

/** A `run`, one that is to be told `apart`, several `short` ones, a `pause`, or what is `lost` as events are missing. */
export type TimeKind = 'run' | 'apart' | 'short' | 'pause' | 'lost';

/** Takes what a thread did, with the last run of several; undefined if there is none. */
interface TimeList {
  add(startNs: number, endNs: number, run: LoopRun | undefined, kind: TimeKind): void;
}

const NONE: readonly Interval[] = [];

export function isShortRun({ startNs, endNs }: LoopRun): boolean {
  return endNs - startNs < SHORT_NS;
}

export function isActivityRun(event: TraceEvent): boolean {
  return event.name === ACTIVITY_RUN.name && isOfNode(event);
}

/** Whether it says which line of the application started its activity. */
export function isActivityCode(event: TraceEvent): boolean {
  return event.name === 'ActivityCode' && isOfNode(event);
}

/** Whether the event is one of Node.js itself, which has other names in tracepoints. */
export function isOfNode({ provider }: TraceEvent): boolean {
  return PROVIDERS.has(provider);
}

/** -1 if it was not read. */
function readingNs(milliseconds: unknown): number | undefined {
  return Number(milliseconds) >= 0 ? wholeNs(milliseconds) : undefined;
}

function agoNs(nowNs: number, milliseconds: unknown): number | undefined {
  const ns = readingNs(milliseconds);
  return ns === undefined ? undefined : nowNs - ns;
}

function wholeNs(milliseconds: unknown): number {
  const ns = Math.round(Number(milliseconds) * NS_PER_MS);
  return ns > 0 ? Math.min(ns, Number.MAX_SAFE_INTEGER) : 0;
}
