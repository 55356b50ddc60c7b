/** The CPU samples of a report: which of them a flame graph shows, and the activities that they were taken in. */
import { FlameCounts, type FlameGroups, type FlameTree } from './flame-tree.ts';
import { firstWhere, indicesWhere } from './grouped.ts';
import type { ReportData } from './report-data.ts';

/** What V8's profiler says while nothing runs. */
const V8_IDLE = 'native.(idle)';
/** The levels of activities above functions. */
const MAX_GROUP_DEPTH = 30;

export interface SampleChoice {
  /** Selects samples in activities of this name, and in this activity; -1 for all. */
  readonly task: number;
  readonly activity: number;
  /** It is the index of a thread; undefined for all. */
  readonly thread?: number | undefined;
  /** The range is in nanoseconds; undefined for the whole trace. */
  readonly range: readonly [from: number, to: number] | undefined;
  /** Whether the names of activities are above the functions. */
  readonly isByActivity: boolean;
}

interface ActivityGroups extends FlameGroups {
  /** The index is an activity; the first number is for none. */
  readonly ofActivity: Int32Array;
}

export class CpuSamples {
  /** Samples count as far as they were on a processor, here and below. */
  readonly count: number;
  readonly #data: ReportData;
  /** Events, in the order of time. */
  readonly #events: Uint32Array;
  #groups: ActivityGroups | undefined;

  constructor(data: ReportData) {
    this.#data = data;
    const { calls, events } = data;
    const isIdle = Uint8Array.from(calls.leaf, (node) => {
      return calls.frames[calls.frame[node] as number]?.name === V8_IDLE ? 1 : 0;
    });
    const isBusy = (event: number) => events.isSample(event) && isIdle[events.stack[event] as number] === 0;
    this.#events = indicesWhere(events.count, isBusy);
    this.count = this.#events.reduce((sum, event) => sum + this.#weightOf(event), 0);
  }

  /** Samples by the index of an activity's name: those in such activities, and in what these contain. */
  countsByTask(): Float64Array {
    const { header, activities, events } = this.#data;
    const counts = new Float64Array(header.tasks.length);
    const last = new Int32Array(header.tasks.length).fill(-1);
    for (const event of this.#events) {
      for (let up = events.activity[event] as number; up >= 0; up = activities.parent[up] as number) {
        const task = activities.task[up] as number;
        if (last[task] !== event) counts[task] = (counts[task] as number) + this.#weightOf(event);
        last[task] = event;
      }
    }
    return counts;
  }

  /** Counts the samples in an activity and in what it contains. */
  countIn(activity: number): number {
    const { activities, events } = this.#data;
    let count = 0;
    for (const event of this.#within([activities.start[activity] as number, Number.POSITIVE_INFINITY])) {
      let up = events.activity[event] as number;
      while (up > activity) up = activities.parent[up] as number;
      if (up === activity) count += this.#weightOf(event);
    }
    return count;
  }

  groupName(group: number): string {
    return this.#groups?.name[group] ?? '';
  }

  tree({ task, activity, thread, range, isByActivity }: SampleChoice): FlameTree {
    const { activities, calls, events } = this.#data;
    if (isByActivity) this.#groups ??= this.#groupsByName();
    const groups = isByActivity ? this.#groups : undefined;
    const counts = new FlameCounts(calls, groups);
    const isWithin = (innermost: number) => {
      let [isInTask, isInActivity] = [task < 0, activity < 0];
      for (let up = innermost; up >= 0 && !(isInTask && isInActivity); up = activities.parent[up] as number) {
        isInTask ||= activities.task[up] === task;
        isInActivity ||= up === activity;
      }
      return isInTask && isInActivity;
    };
    for (const event of this.#within(range)) {
      const innermost = events.activity[event] as number;
      if (!isWithin(innermost) || (thread !== undefined && events.thread[event] !== thread)) continue;
      const group = groups?.ofActivity[innermost + 1] ?? -1;
      counts.add(events.stack[event] as number, group, this.#weightOf(event));
    }
    return counts.tree();
  }

  #weightOf(event: number): number {
    return (this.#data.events.onCpu[event] as number) / 100;
  }

  #within(range: SampleChoice['range']): Uint32Array {
    if (range === undefined) return this.#events;
    const { time } = this.#data.events;
    const timeOf = (at: number) => time[this.#events[at] as number] as number;
    const { length } = this.#events;
    const from = firstWhere(0, length, (at) => timeOf(at) >= range[0]);
    const to = firstWhere(from, length, (at) => timeOf(at) > range[1]);
    return this.#events.subarray(from, to);
  }

  /** Groups samples by the names of activities, below those of the activities around them. */
  #groupsByName(): ActivityGroups {
    const { activities, header } = this.#data;
    const parent = [-1];
    const name = ['In no activity'];
    const depth = [0];
    const known = new Map<number, number>();
    const ofActivity = new Int32Array(activities.count + 1);
    for (let activity = 0; activity < activities.count; activity++) {
      const around = activities.parent[activity] as number;
      const above = around < 0 ? -1 : (ofActivity[around + 1] as number);
      const level = above < 0 ? 0 : (depth[above] as number) + 1;
      const key = (above + 1) * header.tasks.length + (activities.task[activity] as number);
      let group = level > MAX_GROUP_DEPTH ? above : known.get(key);
      if (group === undefined) {
        group = parent.push(above) - 1;
        name.push(activities.name(activity));
        depth.push(level);
        known.set(key, group);
      }
      ofActivity[activity + 1] = group;
    }
    return { parent, name, ofActivity };
  }
}
