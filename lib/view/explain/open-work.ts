/**
 * What is open in a process at the end of a short session: activities and what each waits for, and what else Node.js
 * has begun; see docs/explain.md.
 */
import { append } from '../../base/append.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { TracedActivity } from '../traced-activity.ts';
import type { ActivityTime } from './activity-time.ts';
import type { ExplainedActivities } from './explained-activities.ts';
import { type FramesOf, hottestCode, ITSELF } from './hot-code.ts';
import { isOfNode, type LoopRun } from './loop-runs.ts';
import { duration } from './sentences.ts';
import { MODULE_LOAD, REQUEST_BODY, type StateOf, stateOfCall, stateOfWaker } from './states.ts';

/** An open activity; those inside it follow it, one level deeper. */
export interface OpenActivity {
  readonly time: ActivityTime;
  readonly ageNs: number;
  /** 0 at the top. */
  readonly depth: number;
  readonly isRunning: boolean;
  /** There are several if it has begun several things; none if nothing is known. */
  readonly waitsFor: readonly OpenWait[];
}

interface OpenWait extends StateOf {
  /** `a timer (retry), due in 3,000 ms` */
  readonly text: string;
}

/** Work that belongs to no known activity. */
export interface OtherWork {
  readonly text: string;
  count: number;
}

/** What the event loop does. */
export interface LoopState {
  /** How long it has not returned from what it runs, at least; undefined if it returns. */
  readonly stuckNs: number | undefined;
  /** What it runs, or has run longest. */
  readonly by: string | undefined;
  readonly code: string | undefined;
  /** The part of the session in which it ran anything. */
  readonly busyShare: number;
}

interface Pending {
  readonly kind: string;
  readonly what: string;
  readonly dueInNs: number;
  readonly activity: TracedActivity | undefined;
}

const NS_PER_MS = 1e6;
const SERVED = 'http.server';
const READER = stateOfWaker('write');

export class OpenWork {
  readonly #pending: Pending[] = [];
  readonly #samples: { readonly timeNs: number; readonly stack: SampledStack }[] = [];
  /** What ran, by the names of its kinds. */
  readonly #ran = new Map<string, { ns: number; longest: LoopRun }>();
  #ranNs = 0;
  #stuck: { readonly sinceNs: number; readonly threadId: number | undefined } | undefined;
  #running: TracedActivity | undefined;
  /** How long work waited for a thread of the thread pool, or waits so far, according to the last that did. */
  poolDelayNs = 0;

  /** Takes each event, once its activity is known. */
  add(event: TraceEvent, { activities }: ExplainedActivities): void {
    const { name, payload } = event;
    if (!isOfNode(event)) return;
    if (name === 'MainThreadStuck') {
      const waitedNs = Number(payload.clientWaitedMSec) * NS_PER_MS;
      this.#stuck = { sinceNs: event.nsSinceStart - waitedNs, threadId: event.threadId };
      this.#running = activities.activityOf(event);
    } else if (name === 'PendingWork') {
      const { kind, what, dueInMSec } = payload;
      const dueInNs = Number(dueInMSec) * NS_PER_MS;
      this.#pending.push({
        kind: String(kind),
        what: String(what),
        dueInNs,
        activity: activities.activityOf(event),
      });
    } else if (name === 'ActivityRun') this.#stuck = this.#running = undefined;
    else if (name === 'ThreadPoolDelay') this.poolDelayNs = Number(payload.delayMSec) * NS_PER_MS;
  }

  get isStuck(): boolean {
    return this.#stuck !== undefined;
  }

  addRun(run: LoopRun): void {
    // What asking takes is of no interest.
    if (run.label === ITSELF) return;
    const ns = run.endNs - run.startNs;
    this.#ranNs += ns;
    const known = this.#ran.get(run.label);
    if (known === undefined) this.#ran.set(run.label, { ns, longest: run });
    else {
      known.ns += ns;
      if (ns > known.longest.endNs - known.longest.startNs) known.longest = run;
    }
  }

  addSample({ threadId, nsSinceStart }: TraceEvent, stack: SampledStack): void {
    if (threadId === this.#stuck?.threadId) this.#samples.push({ timeNs: nsSinceStart, stack });
  }

  /** Of a loop that was optimized before the session, V8 first names the caller. */
  get #laterStacks(): Map<SampledStack, number> {
    const stacks = new Map<SampledStack, number>();
    const middleNs = ((this.#samples[0]?.timeNs ?? 0) + (this.#samples.at(-1)?.timeNs ?? 0)) / 2;
    for (const { timeNs, stack } of this.#samples) {
      if (timeNs >= middleNs) stacks.set(stack, (stacks.get(stack) ?? 0) + 1);
    }
    return stacks;
  }

  loop(explained: ExplainedActivities, framesOf: FramesOf): LoopState {
    const { nowNs } = explained.activities;
    const [longest] = [...this.#ran].sort(([, a], [, b]) => b.ns - a.ns);
    if (this.#stuck !== undefined) {
      const running = [...explained.open()].find(({ activity }) => activity === this.#running);
      const code = hottestCode(this.#laterStacks, framesOf)?.text;
      return { stuckNs: nowNs - this.#stuck.sinceNs, by: running?.label, code, busyShare: 1 };
    }
    return {
      stuckNs: undefined,
      by: longest?.[0],
      code: hottestCode(longest?.[1].longest.stacks, framesOf)?.text,
      busyShare: Math.min(1, this.#ranNs / Math.max(1, nowNs)),
    };
  }

  /** Those around others come first, the oldest of each level before younger ones. */
  activities(explained: ExplainedActivities): OpenActivity[] {
    const open = [...explained.open()].filter(({ activity }) => activity.name !== MODULE_LOAD);
    const times = new Map(open.map((time) => [time.activity, time]));
    const inside = new Map<ActivityTime | undefined, ActivityTime[]>();
    for (const time of open) append(inside, nearest(time.activity.parent, times), time);
    const pending = new Map<TracedActivity | undefined, Pending[]>();
    for (const each of this.#pending) append(pending, each.activity, each);
    const found: OpenActivity[] = [];
    const add = (time: ActivityTime, depth: number) => {
      const inner = inside.get(time) ?? [];
      found.push({
        time,
        depth,
        ageNs: explained.activities.nowNs - time.activity.startNs,
        isRunning: time.activity === this.#running,
        waitsFor: waitsOf(time, inner, pending.get(time.activity) ?? []),
      });
      for (const each of inner) add(each, depth + 1);
    };
    for (const time of inside.get(undefined) ?? []) add(time, 0);
    return found;
  }

  /** The most frequent first. */
  others(): OtherWork[] {
    const byText = new Map<string, OtherWork>();
    for (const pending of this.#pending) {
      if (pending.activity !== undefined) continue;
      const text = otherText(pending);
      const known = byText.get(text);
      if (known === undefined) byText.set(text, { text, count: 1 });
      else known.count++;
    }
    return [...byText.values()].sort((a, b) => b.count - a.count);
  }
}

/** @param own what was begun in the activity */
function waitsOf(
  { activity }: ActivityTime,
  inside: readonly ActivityTime[],
  own: readonly Pending[],
): readonly OpenWait[] {
  const isServed = (each: Pending) => each.kind.startsWith(SERVED);
  const served = own.filter(isServed).flatMap((each) => waitOf(each) ?? []);
  // What a call waits for is known by its name; what it has begun for that says nothing more.
  const call = inside.length === 0 ? stateOfCall(activity.name) : undefined;
  const waits = [
    ...inside.map(({ label }): OpenWait => ({ state: 'child', what: label, text: label })),
    ...served,
    ...(call === undefined
      ? own.filter((each) => !isServed(each)).flatMap((each) => waitOf(each) ?? [])
      : [{ ...call, text: call.what }]),
  ];
  return [...new Map(waits.map((wait) => [wait.text, wait])).values()];
}

/** The nearest activity around that is among the open ones. */
function nearest(
  activity: TracedActivity | undefined,
  open: ReadonlyMap<TracedActivity, ActivityTime>,
): ActivityTime | undefined {
  for (let at = activity; at !== undefined; at = at.parent) {
    const found = open.get(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function waitOf({ kind, what, dueInNs }: Pending): OpenWait | undefined {
  if (kind === SERVED) return undefined;
  if (kind === `${SERVED}.body`) return { ...REQUEST_BODY, text: `the rest of ${REQUEST_BODY.what}` };
  if (kind === `${SERVED}.reader`) return { ...READER, text: READER.what };
  const state = stateOfWaker(kind);
  const details = what === '' ? '' : ` (${what})`;
  if (state.state === 'timer') return { ...state, text: `a timer${details}, due in ${duration(dueInNs)}` };
  if (state.state === 'threadPool') return { ...state, text: `the thread pool: ${state.what}${details}` };
  return { ...state, text: `${state.what}${details}` };
}

function otherText(pending: Pending): string {
  const { kind, what } = pending;
  const wait = waitOf(pending)?.text;
  if (kind.startsWith(SERVED)) return wait === undefined ? what : `${what}: waits for ${wait}`;
  if (kind === 'http.client') return `${what}: waits for the response`;
  // A timer alone is due at any time: many are not told apart by that.
  if (kind === 'timer') return what === '' ? 'a timer' : `a timer (${what})`;
  return wait ?? what;
}
