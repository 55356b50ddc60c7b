/**
 * The account of each activity of a trace, from its events one after the other. It retains the open activities, those
 * that ended a moment ago, and the most recent runs of each thread.
 */

import { ACTIVITY_RUN } from '../../activity/runs.ts';
import { PassingMap } from '../../base/passing-map.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { CountedFirst, type CpuProfile, type SampledStack } from '../cpu/cpu-profile.ts';
import type { FrameNames } from '../cpu/frame-names.ts';
import { type ActivityChange, TraceActivities } from '../trace-activities.ts';
import { TracedActivity } from '../traced-activity.ts';
import { ActivityLabels } from './activity-labels.ts';
import { ActivityTime, wholeOf } from './activity-time.ts';
import { ITSELF, isMostlyItself } from './hot-code.ts';
import { isOfNode, isShortRun, type LoopRun, LoopRuns } from './loop-runs.ts';
import { PoolQueue } from './pool-queue.ts';
import { isPart, MODULE_LOAD, stateOfCall } from './states.ts';

export interface ExplainOptions {
  /** Called with each activity that has ended, when its account is complete, in order of the ends on a thread. */
  readonly take: (time: ActivityTime) => void;
  /** Whether the activity with this start is asked for; by default, all are. */
  readonly isSelected?: ((start: TraceEvent, activity: TracedActivity) => boolean) | undefined;
  /** Called with each activity that is no longer open, as by `TraceActivities`. */
  readonly onClosed?: (activity: TracedActivity) => void;
  /** Called with each run of a thread, when its collections and samples are known. */
  readonly onRun?: (run: LoopRun) => void;
  /** Called with each CPU sample of code that ran. */
  readonly onSample?: (event: TraceEvent, stack: SampledStack) => void;
  /** Takes the CPU samples, and names their functions. */
  readonly profile?: CpuProfile | undefined;
  /** Names the lines that start activities. */
  readonly frames?: FrameNames | undefined;
}

/** What the trace has. */
export interface Recorded {
  runs: boolean;
  /** The processor time of runs. */
  cpu: boolean;
  samples: boolean;
  /** How often events of runs were missing. */
  losses: number;
  /** Activities without an end. */
  unended: number;
}

/** A thread keeps this many activities that end before its next run. Further ones are explained without it. */
const MAX_ENDED = 50_000;
const CHECK_NS = 50e6;
/** Type of a sample while the thread ran no managed code. */
const EXTERNAL = 1;

interface Thread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly loop: LoopRuns;
  /** Ended, in order, but not explained. */
  ended: ActivityTime[];
}

export class ExplainedActivities {
  readonly activities: TraceActivities = new TraceActivities((activity) => {
    this.#closed.push(activity);
    this.#options.onClosed?.(activity);
  });
  readonly #options: ExplainOptions;
  readonly #labels = new ActivityLabels();
  /** The keys are the activities' indexes: objects as keys would need hashes. */
  readonly #times = new PassingMap<number, ActivityTime>();
  /** The labels of the last activities that have been explained: what filled a pool is told afterwards. */
  readonly #lastLabels = new Map<number, string>();
  readonly #threads = new Map<string, Thread>();
  /** The thread pools of processes. */
  readonly #pools = new Map<number | undefined, PoolQueue>();
  /** Most events are of the same thread as the one before. */
  #lastThread: Thread | undefined;
  /** What the current event has ended. */
  readonly #closed: TracedActivity[] = [];
  #checkedNs = Number.NEGATIVE_INFINITY;
  readonly #counted = new CountedFirst();
  #hasSamples = false;
  #hasCpu = false;
  #unended = 0;

  constructor(options: ExplainOptions) {
    this.#options = options;
  }

  get recorded(): Recorded {
    let losses = 0;
    let runs = false;
    for (const { loop } of this.#threads.values()) {
      losses += loop.losses;
      runs ||= loop.hasRuns;
    }
    return { runs, cpu: this.#hasCpu, samples: this.#hasSamples, losses, unended: this.#unended };
  }

  /** The activities that have started and not ended, in order of their starts. */
  *open(): Generator<ActivityTime, void, undefined> {
    for (const { index } of this.activities.open()) {
      const time = this.#times.get(index);
      if (time !== undefined) yield time;
    }
  }

  /** Takes the next event in time order; undefined if it neither starts nor stops an activity. */
  add(event: TraceEvent): ActivityChange | undefined {
    this.#closed.length = 0;
    const change = this.activities.add(event);
    const stack = this.#options.profile?.take(event);
    if (stack !== undefined) {
      this.#hasSamples = true;
      const isBusy = event.provider !== SAMPLES || event.payload.Type !== EXTERNAL;
      if (this.#counted.has(event) && isBusy) {
        this.#threadOf(event).loop.addSample(event.nsSinceStart, stack);
        this.#options.onSample?.(event, stack);
      }
      return change;
    }
    if (change !== undefined) {
      if (change.boundary === 'Start') this.#start(event, change.activity);
      else this.#stop(event, change.activity);
    } else if (STEPS.has(event.name)) this.#addStep(event);
    else if (isOfNode(event)) this.#addOfNode(event);
    // Its Stop may have told its route.
    for (const activity of this.#closed) this.#close(activity);
    this.#settle(this.activities.nowNs);
    return change;
  }

  /** Call this after the last event. */
  end(): void {
    this.#checkedNs = Number.NEGATIVE_INFINITY;
    this.#settle(Number.POSITIVE_INFINITY);
    for (const thread of this.#threads.values()) {
      for (const time of thread.ended) this.#explain(time);
      thread.ended = [];
    }
    this.#unended += this.#times.size;
  }

  #start(event: TraceEvent, activity: TracedActivity): void {
    const { loop } = this.#threadOf(event);
    const time = new ActivityTime(activity, this.#labels.of(event, activity), loop);
    time.isSelected = this.#options.isSelected?.(event, activity) ?? true;
    if (activity.name === MODULE_LOAD) time.setLoad(String(event.payload.package ?? ''));
    this.#times.set(activity.index, time);
    const { parent } = activity;
    const around = parent && this.#times.get(parent.index);
    const { method } = event.payload;
    time.hasBody = typeof method === 'string' ? WITH_BODY.has(method) : (around?.hasBody ?? false);
    if (!isPart(activity.name)) this.#addInside(time);
  }

  #stop(event: TraceEvent, activity: TracedActivity): void {
    const time = this.#times.get(activity.index);
    if (time === undefined) return;
    time.label = this.#labels.withRoute(time.label, event);
    time.isAborted = event.payload.errorType === 'aborted';
  }

  #close(activity: TracedActivity): void {
    const time = this.#times.get(activity.index);
    if (time === undefined) return;
    if (activity.endNs === undefined) {
      this.#times.delete(activity.index);
      this.#unended++;
      return;
    }
    const { processId, startThreadId: threadId } = activity;
    const thread = this.#threadOf({ processId, threadId });
    if (!thread.loop.hasRuns) this.#explain(time);
    else if (thread.ended.push(time) > MAX_ENDED) {
      for (const each of thread.ended.splice(0, MAX_ENDED / 2)) this.#explain(each);
    }
  }

  #explain(time: ActivityTime): void {
    const { activity } = time;
    this.#times.delete(activity.index);
    if (this.#lastLabels.size >= KEPT_LABELS) this.#lastLabels.clear();
    this.#lastLabels.set(activity.index, time.label);
    // Its stop may have come late, after that of an activity around it.
    time.end(activity.endNs as number);
    if (activity.index >= 0) this.#options.take(time);
  }

  /** What an activity waited for, as an event says afterwards. */
  #addStep(event: TraceEvent): void {
    const { provider, name, payload, processId, threadId } = event;
    const state = stateOfCall(`${provider}/${name}`);
    const parent = this.activities.activityOf(event);
    const around = parent === undefined ? undefined : this.#times.get(parent.index);
    const agoNs = Math.round(Number(payload.durationMSec) * NS_PER_MS);
    if (state === undefined || around === undefined || !(agoNs > 0)) return;
    const endNs = event.nsSinceStart;
    const startNs = Math.max(endNs - agoNs, around.activity.startNs);
    const naming = { provider, task: name, name: `${provider}/${name}` };
    const head = { index: -1, naming, id: '', span: undefined, processId, extra: undefined, startNs };
    const step = new TracedActivity({ ...head, startThreadId: threadId, state: 'stopped' }, parent);
    step.endNs = endNs;
    const place = [payload.host, payload.serverName].find((each) => typeof each === 'string' && each !== '');
    const [what = '', joint] = STEPS.get(name) ?? [];
    const label = joint === undefined || place === undefined ? what : `${what} ${joint} ${String(place)}`;
    const time = new ActivityTime(step, label, around.loop);
    this.#addInside(time);
    time.isSelected = false;
    this.#threadOf(event).ended.push(time);
  }

  #addOfNode(event: TraceEvent): void {
    const { name } = event;
    if (name === ACTIVITY_RUN.name) this.#addRun(event);
    else if (name === 'GarbageCollection') this.#threadOf(event).loop.addCollection(event);
    else if (name === 'ActivityCode') this.#addCode(event);
    else if (name === 'ThreadPoolDelay') this.#threadOf(event).loop.pool.addDelay(event);
    else if (name === 'ThreadPoolUse') this.#addPoolUse(event);
  }

  /** Where its activity was started, as an event says right after the Start. */
  #addCode(event: TraceEvent): void {
    const activity = this.activities.activityOf(event);
    const time = activity && this.#times.get(activity.index);
    if (time === undefined) return;
    const { file, line, column } = event.payload;
    const place = { name: '', file: String(file), line: Number(line), column: Number(column) };
    time.startedAt = this.#labels.ofPlace(place, this.#options.frames);
  }

  #addRun(event: TraceEvent): void {
    const activity = this.activities.activityOf(event);
    const wokenBy = this.activities.relatedOf(event);
    const label = this.#labelFor(event, activity);
    const wokenByLabel = wokenBy === undefined ? '' : this.#labelOf(wokenBy);
    if (Number(event.payload.cpuMSec) >= 0) this.#hasCpu = true;
    this.#threadOf(event).loop.addRun(event, { activity, label, wokenBy, wokenByLabel });
  }

  #addPoolUse(event: TraceEvent): void {
    this.#threadOf(event).loop.pool.addUse(event, this.#labelFor(event, this.activities.activityOf(event)));
  }

  #labelFor({ activityId }: TraceEvent, activity: TracedActivity | undefined): string {
    if (activity !== undefined) return this.#labelOf(activity);
    return activityId === undefined ? OUTSIDE : UNSTARTED;
  }

  #labelOf(activity: TracedActivity): string {
    const whole = wholeOf(activity);
    return this.#times.get(whole.index)?.label ?? this.#lastLabels.get(whole.index) ?? whole.task;
  }

  /** Adds it to the activity around it, and to those of which that one is a part. */
  #addInside(time: ActivityTime): void {
    for (let at = time.activity.parent; at !== undefined; at = isPart(at.name) ? at.parent : undefined) {
      this.#times.get(at.index)?.addInside(time);
    }
  }

  #settle(nowNs: number): void {
    if (nowNs < this.#checkedNs + CHECK_NS) return;
    this.#checkedNs = nowNs;
    for (const thread of this.#threads.values()) {
      if (!thread.loop.hasRuns) continue;
      thread.loop.settle(nowNs, (run) => {
        // Short ones are not named.
        if (run.label === OUTSIDE && !isShortRun(run) && this.#isOfTracer(run)) run.label = ITSELF;
        this.#options.onRun?.(run);
        this.#addRunTo(run, thread.loop);
      });
      const { settledNs } = thread.loop;
      let count = 0;
      while (count < thread.ended.length) {
        const time = thread.ended[count] as ActivityTime;
        if ((time.activity.endNs as number) > settledNs) break;
        this.#explain(time);
        count++;
      }
      if (count > 0) thread.ended = thread.ended.slice(count);
    }
  }

  #addRunTo(run: LoopRun, loop: LoopRuns): void {
    const { activity } = run;
    if (activity === undefined) return;
    const whole = wholeOf(activity);
    for (let at: TracedActivity | undefined = activity; at !== undefined; at = at.parent) {
      this.#times.get(at.index)?.addRun(run);
      if (at === whole) break;
    }
    for (let around = whole.parent; around !== undefined; around = around.parent) {
      const time = this.#times.get(around.index);
      if (time?.loop === loop) time.addRunInside(run);
    }
  }

  /** Whether most samples of the run were taken in this package's own code, as far as functions have names by then. */
  #isOfTracer({ stacks }: LoopRun): boolean {
    const { profile } = this.#options;
    if (profile === undefined) return false;
    return isMostlyItself(stacks, (stack) => profile.framesOf(stack));
  }

  #threadOf({ processId, threadId }: Pick<TraceEvent, 'processId' | 'threadId'>): Thread {
    const last = this.#lastThread;
    if (last !== undefined && last.processId === processId && last.threadId === threadId) return last;
    const key = threadKey(processId, threadId);
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      const pool = this.#pools.get(processId) ?? new PoolQueue();
      this.#pools.set(processId, pool);
      thread = { processId, threadId, loop: new LoopRuns(pool), ended: [] };
      this.#threads.set(key, thread);
    }
    this.#lastThread = thread;
    return thread;
  }
}

const NS_PER_MS = 1e6;
const KEPT_LABELS = 5000;
/** Events about waits that are over, and what these are called, with a word before the other side. */
const STEPS: ReadonlyMap<string, readonly [what: string, joint?: string]> = new Map([
  ['NameResolved', ['DNS', 'of']],
  ['TlsEstablished', ['TLS', 'with']],
  ['SocketAssigned', ['a socket of the agent']],
]);
/** The methods of requests that have a body, unless it is empty. Source: RFC 9110, 9.3; RFC 5789; RFC 4918. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'PROPFIND', 'PROPPATCH', 'REPORT', 'SEARCH', 'QUERY']);
/** What runs that belong to no activity are called. */
export const OUTSIDE = 'code outside of activities';
const UNSTARTED = 'an activity whose start is missing';
const SAMPLES = 'Microsoft-DotNETCore-SampleProfiler';

function threadKey(processId: number | undefined, threadId: number | undefined): string {
  return `${processId ?? ''} ${threadId ?? ''}`;
}
