/**
 * How often an event happened, or the sum of one of its fields, by the activity that it belongs to: that of its id,
 * otherwise the one that its thread ran at that time.
 */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { ActivityTreeOptions } from '../activity-tree.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ActivityCharges, type ActivityRun } from './activity-charges.ts';
import { CpuActivities, namedTimes } from './cpu-activities.ts';

type Run = ActivityRun<TracedActivity | undefined>;

/** What the activities of one name inside those of others wrote. */
export interface ActivityMetric {
  /** The activities' name; undefined for events of none. */
  readonly activity: string | undefined;
  /** Why events belong to no activity. */
  readonly nobody: string | undefined;
  /** The names of the activities around it, the outermost first. */
  readonly inside: readonly string[];
  /** How many activities have such events, themselves or inside them. */
  readonly activities: number;
  /** The sum of the field, or the number of events; the total includes everything inside. */
  readonly total: number;
  readonly self: number;
  readonly totalEvents: number;
  readonly selfEvents: number;
}

export class MetricActivities {
  /** Whose times are the values, and whose samples are the events. */
  readonly activities: CpuActivities;
  /** Events whose field is missing or not a number, which count as 0. */
  withoutField = 0;
  readonly #isWanted: (event: TraceEvent) => boolean;
  readonly #field: string | undefined;
  readonly #charges: ActivityCharges<TracedActivity | undefined, number>;

  /**
   * @param field to add up; undefined to count events
   * @param isRoot see `ActivityTreeOptions`
   */
  constructor(
    isWanted: (event: TraceEvent) => boolean,
    field: string | undefined,
    isRoot: ActivityTreeOptions['isRoot'],
  ) {
    this.#isWanted = isWanted;
    this.#field = field;
    this.activities = new CpuActivities(isRoot);
    const { activities } = this.activities;
    this.#charges = new ActivityCharges(
      (event) => activities.activityOf(event),
      (value, run) => this.#add(value, run),
    );
  }

  /** Takes any event in time order. */
  add(event: TraceEvent): void {
    this.activities.add(event);
    this.#charges.addSwitch(event);
    if (!this.#isWanted(event)) return;
    const value = this.#valueOf(event);
    const { activities } = this.activities;
    if (activities.keys.ofEvent(event) === undefined) this.#charges.addSample(event, value, startNs(event));
    else
      this.#add(value, { ...NO_RUN, activityId: event.activityId, activity: activities.activityOf(event) });
  }

  /** Call this after the last event. */
  end(): void {
    this.#charges.end();
  }

  /** The selected activities by name, each before those inside it, the largest first. */
  metrics(): ActivityMetric[] {
    const named = [...namedTimes(this.activities.names(), ({ ns }) => ns)];
    return named.map(({ node: { name, isNobody, activities, total, self }, path }) => ({
      activity: isNobody ? undefined : name,
      nobody: isNobody ? name : undefined,
      inside: path,
      activities,
      total: total.ns,
      self: self.ns,
      totalEvents: total.samples,
      selfEvents: self.samples,
    }));
  }

  #add(ns: number, run: Run | undefined): void {
    this.activities.addSample({ ns, run: run ?? NO_RUN });
  }

  #valueOf({ payload }: TraceEvent): number {
    if (this.#field === undefined) return 1;
    const value = payload[this.#field];
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
    this.withoutField++;
    return 0;
  }
}

/** A thread without activity switches has this run. */
const NO_RUN: Run = {
  activityId: undefined,
  activity: undefined,
  processId: undefined,
  threadId: undefined,
  startNs: 0,
};

/** Node.js reports garbage collections afterwards. */
function startNs({ nsSinceStart, payload }: TraceEvent): number {
  const { startedAgoMSec: ago } = payload;
  return nsSinceStart - (typeof ago === 'number' && ago > 0 ? ago * 1e6 : 0);
}
