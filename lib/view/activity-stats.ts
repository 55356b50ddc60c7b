/**
 * How long activities take, by name and, if wanted, by a field: for a trace of any length, in memory proportional to
 * the number of names and groups.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import { type ActivityFields, activityFields, type FieldSelection } from './activity-fields.ts';
import type { ActivityTreeOptions } from './activity-tree.ts';
import { Quantiles } from './quantiles.ts';
import { type ActivityChange, TraceActivities } from './trace-activities.ts';
import type { TracedActivity } from './traced-activity.ts';

/**
 * Counts all activities with one name, or a group of them; durations are in nanoseconds. Only stopped activities have
 * one.
 */
export class NameStats {
  /** `MyCompany-MyService/Request` */
  readonly name: string;
  /** The value of the field that they are grouped by; undefined without one. */
  readonly group: string | undefined;
  /** Whether these are the activities of all groups beyond the limit. */
  readonly isRest: boolean;
  started = 0;
  stopped = 0;
  /** Counts stopped activities only. */
  failed = 0;
  /** Stops whose start is not in the trace. */
  unstarted = 0;
  totalNs = 0;
  /** Counts the time while nothing ran inside. */
  selfNs = 0;
  /** CPU time, without that of activities inside; 0 unless samples are charged: see `SelectedStats.addCpu`. */
  cpuNs = 0;
  readonly durations: Quantiles = new Quantiles();

  constructor(name: string, group?: string, isRest = false) {
    this.name = name;
    this.group = group;
    this.isRest = isRest;
  }

  /** Those without a stop. */
  get unstopped(): number {
    return this.started - this.stopped;
  }

  get meanNs(): number | undefined {
    return this.stopped === 0 ? undefined : this.totalNs / this.stopped;
  }
}

/** What `SelectedStats` counts; by default, everything. */
export interface StatsSelection extends FieldSelection {
  /** The activities counted. */
  readonly isRoot?: ActivityTreeOptions['isRoot'];
  /** Whether what is in them is counted, too. */
  readonly isInsideCounted?: boolean;
}

/**
 * Statistics of selected activities, which are not retained: by name and, with `by`, by the values of a field.
 *
 * A value is that of `ActivityFields` when the activity ends.
 */
export class SelectedStats {
  readonly activities: TraceActivities = new TraceActivities((activity) => this.#closed.push(activity));
  /** @internal */
  readonly fields: ActivityFields | undefined;
  readonly #stats: ActivityStats = new ActivityStats();
  readonly #isRoot: ActivityTreeOptions['isRoot'];
  readonly #isInsideCounted: boolean;
  /** Holds activities as long as TraceActivities knows them. */
  readonly #selected = new WeakSet<TracedActivity>();
  /** What the current event has ended. */
  readonly #closed: TracedActivity[] = [];
  /**
   * Holds the groups of activities whose start has been counted, which is decided once: a late stop counts with its
   * start.
   */
  readonly #groups = new WeakMap<TracedActivity, Group>();
  /** CPU time of the activities whose group is not known yet. */
  readonly #cpuNs = new WeakMap<TracedActivity, number>();

  constructor({ isRoot, isInsideCounted = false, ...selection }: StatsSelection = {}) {
    this.#isRoot = isRoot;
    this.#isInsideCounted = isInsideCounted;
    this.fields = activityFields(selection);
  }

  /** Returns the statistics of the events so far. */
  get stats(): ActivityStats {
    if (this.fields !== undefined) {
      for (const activity of this.activities.open()) this.#countStart(activity, this.fields);
    }
    return this.#stats;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    if (this.#closed.length > 0) this.#closed.length = 0;
    const change = this.activities.add(event);
    const isSelected = change !== undefined && this.#isSelected(event, change);
    if (this.fields === undefined) {
      if (isSelected) this.#stats.add(change);
      return;
    }
    this.fields.take(event, change?.activity ?? this.activities.activityOf(event));
    for (const activity of this.#closed) this.#countStart(activity, this.fields);
    if (isSelected && change.boundary === 'Stop') {
      const { isCounted, group } = this.#groupOf(change.activity, this.fields);
      if (isCounted) this.#stats.add(change, group);
    }
  }

  /** Charges CPU time to an activity of `activities`, at any time. */
  addCpu(activity: TracedActivity, ns: number): void {
    if (this.#isRoot !== undefined && !this.#selected.has(activity)) return;
    const known = this.fields === undefined ? COUNTED : this.#groups.get(activity);
    if (known === undefined) this.#cpuNs.set(activity, (this.#cpuNs.get(activity) ?? 0) + ns);
    else if (known.isCounted) this.#stats.addCpu(activity, ns, known.group);
  }

  #countStart(activity: TracedActivity, fields: ActivityFields): void {
    if (this.#groups.has(activity) || (this.#isRoot !== undefined && !this.#selected.has(activity))) return;
    const { isCounted, group } = this.#groupOf(activity, fields);
    if (!isCounted) return;
    this.#stats.add({ boundary: 'Start', activity }, group);
    this.#stats.addCpu(activity, this.#cpuNs.get(activity) ?? 0, group);
  }

  #groupOf(activity: TracedActivity, fields: ActivityFields): Group {
    const known = this.#groups.get(activity);
    if (known !== undefined) return known;
    const group = { isCounted: fields.matches(activity), group: fields.groupOf(activity) };
    this.#groups.set(activity, group);
    return group;
  }

  #isSelected(event: TraceEvent, { boundary, activity }: ActivityChange): boolean {
    if (this.#isRoot === undefined) return true;
    if (boundary === 'Stop' && activity.state !== 'unstarted') return this.#selected.has(activity);
    const { parent } = activity;
    const isInside = this.#isInsideCounted && parent !== undefined && this.#selected.has(parent);
    if (!isInside && !this.#isRoot(event, activity)) return false;
    this.#selected.add(activity);
    return true;
  }
}

interface Group {
  readonly isCounted: boolean;
  readonly group: string | undefined;
}

const COUNTED: Group = { isCounted: true, group: undefined };

/** Limits the groups of all names together. A field can have a value of its own for each activity. */
const MAX_GROUPS = 5000;
/** The key of the groups beyond that. */
const REST = Symbol('rest');

export class ActivityStats {
  readonly #byName = new Map<string, Map<string | typeof REST | undefined, NameStats>>();
  #groups = 0;

  /**
   * Takes the result of TraceActivities for an event.
   *
   * @param group the value by which activities are grouped
   */
  add({ boundary, activity }: ActivityChange, group?: string): void {
    if (boundary === 'Start') this.#of(activity, group).started++;
    else this.#addStop(activity, group);
  }

  /** Takes CPU time of one of the activities. */
  addCpu(activity: TracedActivity, ns: number, group?: string): void {
    this.#of(activity, group).cpuNs += ns;
  }

  /** Takes an activity that has been read completely. */
  addActivity(activity: TracedActivity): void {
    if (activity.state !== 'unstarted') this.#of(activity).started++;
    if (activity.state === 'stopped' || activity.state === 'unstarted') this.#addStop(activity);
  }

  /** The order is that of total durations, longest first; each name has all its groups. */
  get names(): readonly NameStats[] {
    return [...this.#byName.values()]
      .flatMap((groups) => [...groups.values()])
      .sort((a, b) => b.totalNs - a.totalNs);
  }

  of(name: string, group?: string): NameStats | undefined {
    return this.#byName.get(name)?.get(group);
  }

  #addStop(activity: TracedActivity, group?: string): void {
    const stats = this.#of(activity, group);
    const { durationNs, selfNs } = activity;
    if (activity.isFailed) stats.failed++;
    if (durationNs === undefined || selfNs === undefined) {
      stats.unstarted++;
      return;
    }
    stats.stopped++;
    stats.totalNs += durationNs;
    stats.selfNs += selfNs;
    stats.durations.add(durationNs);
  }

  #of({ name }: TracedActivity, group?: string): NameStats {
    const groups = this.#byName.get(name) ?? new Map<string | typeof REST | undefined, NameStats>();
    const known = groups.get(group);
    if (known !== undefined) return known;
    const isRest = group !== undefined && this.#groups === MAX_GROUPS;
    if (!isRest && group !== undefined) this.#groups++;
    const key = isRest ? REST : group;
    const stats = groups.get(key) ?? new NameStats(name, isRest ? undefined : group, isRest);
    this.#byName.set(name, groups.set(key, stats));
    return stats;
  }
}
