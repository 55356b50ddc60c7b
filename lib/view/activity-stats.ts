/** How long activities take, by name: for a trace of any length, in memory proportional to the number of names. */

import type { TraceEvent } from '../trace/trace-event.ts';
import type { ActivityTreeOptions } from './activity-tree.ts';
import { Quantiles } from './quantiles.ts';
import { type ActivityChange, TraceActivities } from './trace-activities.ts';
import type { TracedActivity } from './traced-activity.ts';

/** For all activities with one name, durations in nanoseconds. Only stopped activities have one. */
export class NameStats {
  /** `MyCompany-MyService/Request` */
  readonly name: string;
  started = 0;
  stopped = 0;
  /** Stops whose start is not in the trace. */
  unstarted = 0;
  totalNs = 0;
  /** While nothing ran inside. */
  selfNs = 0;
  readonly durations: Quantiles = new Quantiles();

  constructor(name: string) {
    this.name = name;
  }

  /** Those without a stop. */
  get unstopped(): number {
    return this.started - this.stopped;
  }

  get meanNs(): number | undefined {
    return this.stopped === 0 ? undefined : this.totalNs / this.stopped;
  }
}

/** Statistics of selected activities and everything inside them, which are not retained. */
export class SelectedStats {
  readonly tracker: TraceActivities = new TraceActivities();
  readonly stats: ActivityStats = new ActivityStats();
  readonly isCut = false;
  readonly #isRoot: ActivityTreeOptions['isRoot'];
  /** As long as the tracker knows them. */
  readonly #selected = new WeakSet<TracedActivity>();

  /** @param isRoot see `ActivityTreeOptions` */
  constructor(isRoot: ActivityTreeOptions['isRoot']) {
    this.#isRoot = isRoot;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    const change = this.tracker.add(event);
    if (change !== undefined && this.#isSelected(event, change)) this.stats.add(change);
  }

  #isSelected(event: TraceEvent, { boundary, activity }: ActivityChange): boolean {
    if (this.#isRoot === undefined) return true;
    if (boundary === 'Stop' && activity.state !== 'unstarted') return this.#selected.has(activity);
    const { parent } = activity;
    const isInside = parent !== undefined && this.#selected.has(parent);
    if (!isInside && !this.#isRoot(event, activity)) return false;
    this.#selected.add(activity);
    return true;
  }
}

export class ActivityStats {
  readonly #byName = new Map<string, NameStats>();

  /** Takes the tracker's result for an event. */
  add({ boundary, activity }: ActivityChange): void {
    if (boundary === 'Start') this.#of(activity).started++;
    else this.#addStop(activity);
  }

  /** Takes an activity that has been read completely. */
  addActivity(activity: TracedActivity): void {
    if (activity.state !== 'unstarted') this.#of(activity).started++;
    if (activity.state === 'stopped' || activity.state === 'unstarted') this.#addStop(activity);
  }

  /** By total duration, longest first. */
  get names(): readonly NameStats[] {
    return [...this.#byName.values()].sort((a, b) => b.totalNs - a.totalNs);
  }

  of(name: string): NameStats | undefined {
    return this.#byName.get(name);
  }

  #addStop(activity: TracedActivity): void {
    const stats = this.#of(activity);
    const { durationNs, selfNs } = activity;
    if (durationNs === undefined || selfNs === undefined) {
      stats.unstarted++;
      return;
    }
    stats.stopped++;
    stats.totalNs += durationNs;
    stats.selfNs += selfNs;
    stats.durations.add(durationNs);
  }

  #of({ name }: TracedActivity): NameStats {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    const added = new NameStats(name);
    this.#byName.set(name, added);
    return added;
  }
}
