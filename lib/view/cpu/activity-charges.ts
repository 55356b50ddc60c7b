/**
 * Charges CPU samples, or anything else that happens on a thread, to the activity that the thread ran at that time,
 * according to its activity switches.
 *
 * A switch may be reported late, with the time since when it has applied; what a thread did since its last switch
 * therefore waits for its next one.
 */
import { ACTIVITY_SWITCH } from '../../activity/switches.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';

/** A thread's time in one activity, or in none, from one switch to the next. */
export interface ActivityRun<Activity> {
  /** The id is undefined for none. */
  readonly activityId: string | undefined;
  /** The result of `activityOf` for the switch. */
  readonly activity: Activity;
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** Nanoseconds since the start of the trace. */
  readonly startNs: number;
}

/** Receives each sample once, in order within a thread; without a run if the thread has had no switches so far. */
type Charge<Activity, Sample> = (sample: Sample, run: ActivityRun<Activity> | undefined) => void;

interface ThreadRuns<Activity, Sample> {
  run: ActivityRun<Activity>;
  /** The runs before it, oldest first. */
  past: ActivityRun<Activity>[];
  waiting: { readonly timeNs: number; readonly sample: Sample }[];
}

/** Limits the memory of all threads together: more samples are charged at once. */
const MAX_WAITING = 1_000_000;
/** A thread keeps at least this many runs, at most twice as many, for what is reported late. */
const PAST_RUNS = 1000;
const NS_PER_MS = 1e6;
/** The provider's name on Linux. */
const IN_TRACEPOINTS = tracepointProviderName(ACTIVITY_SWITCH.provider);

export class ActivityCharges<Activity, Sample> {
  /** The number of switches. */
  switches = 0;
  readonly #activityOf: (event: TraceEvent) => Activity;
  readonly #charge: Charge<Activity, Sample>;
  readonly #threads = new Map<string, ThreadRuns<Activity, Sample>>();
  #waiting = 0;

  /** @param activityOf called with each switch: what its activity id stands for at that time */
  constructor(activityOf: (event: TraceEvent) => Activity, charge: Charge<Activity, Sample>) {
    this.#activityOf = activityOf;
    this.#charge = charge;
  }

  /** Takes any event in time order. @returns whether it is a switch */
  addSwitch(event: TraceEvent): boolean {
    if (!isActivitySwitch(event)) return false;
    const { activityId, processId, threadId, payload } = event;
    const agoNs = Number(payload.startedAgoMSec) * NS_PER_MS || 0;
    const startNs = event.nsSinceStart - Math.max(agoNs, 0);
    const run = { activityId, activity: this.#activityOf(event), processId, threadId, startNs };
    const key = threadKey(event);
    const thread = this.#threads.get(key);
    this.switches++;
    if (thread === undefined) {
      this.#threads.set(key, { run, past: [], waiting: [] });
      return true;
    }
    const isBefore = thread.waiting.findIndex(({ timeNs }) => timeNs >= startNs);
    this.#settle(thread, isBefore < 0 ? thread.waiting.length : isBefore);
    thread.past.push(thread.run);
    if (thread.past.length >= 2 * PAST_RUNS) thread.past = thread.past.slice(PAST_RUNS);
    thread.run = run;
    return true;
  }

  /**
   * Takes what happened on the event's thread.
   *
   * @param timeNs when; by default, at the event's time
   */
  addSample(event: TraceEvent, sample: Sample, timeNs: number = event.nsSinceStart): void {
    const thread = this.#threads.get(threadKey(event));
    if (thread === undefined) {
      this.#charge(sample, undefined);
    } else if (timeNs < thread.run.startNs) {
      this.#charge(
        sample,
        thread.past.findLast(({ startNs }) => startNs <= timeNs),
      );
    } else {
      thread.waiting.push({ timeNs, sample });
      if (++this.#waiting >= MAX_WAITING) this.end();
    }
  }

  /** Charges what is still waiting, after the last event. */
  end(): void {
    for (const thread of this.#threads.values()) this.#settle(thread, thread.waiting.length);
  }

  #settle(thread: ThreadRuns<Activity, Sample>, count: number): void {
    for (let i = 0; i < count; i++) this.#charge(thread.waiting[i]?.sample as Sample, thread.run);
    thread.waiting = thread.waiting.slice(count);
    this.#waiting -= count;
  }
}

export function isActivitySwitch({ name, provider }: TraceEvent): boolean {
  return (
    name === ACTIVITY_SWITCH.name && (provider === ACTIVITY_SWITCH.provider || provider === IN_TRACEPOINTS)
  );
}

export function threadKey({ processId, threadId }: Pick<TraceEvent, 'processId' | 'threadId'>): string {
  return `${processId} ${threadId}`;
}
