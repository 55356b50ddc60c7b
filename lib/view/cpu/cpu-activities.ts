/** How much CPU time the activities of a trace took: those selected, by name, with everything inside them. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { ActivityTreeOptions } from '../activity-tree.ts';
import { TraceActivities } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import type { ChargedSample } from './charged-samples.ts';

/** Why a sample is charged to no activity. */
const NOBODY = {
  noActivity: '(no activity)',
  unknownActivity: '(activities without a start)',
  noSwitches: '(threads without activity switches)',
  tooMany: '(further activities)',
} as const;

type Nobody = (typeof NOBODY)[keyof typeof NOBODY];

type Charged = Pick<ChargedSample, 'run' | 'ns'> & Partial<Pick<ChargedSample, 'onCpu'>>;

export interface CpuTime {
  samples: number;
  /** Nanoseconds on a processor, without the samples that stand for the usual interval. */
  ns: number;
  intervals: number;
  /** Nanoseconds on the thread, but not on a processor. */
  offNs: number;
}

/** All activities of one name inside those of another. */
export interface CpuName {
  /** The activities' name, or one of `NOBODY`. */
  readonly name: string;
  readonly isNobody: boolean;
  /** Activities that took CPU time, themselves or something inside them. */
  activities: number;
  /** The total includes everything inside. */
  readonly total: CpuTime;
  readonly self: CpuTime;
  readonly inside: Map<string, CpuName>;
}

/** Further ones are not distinguished, to limit memory. */
const MAX_ACTIVITIES = 500_000;

export class CpuActivities {
  readonly activities: TraceActivities = new TraceActivities();
  /** Adds up all samples, also those that are not selected. */
  readonly all: CpuTime = noTime();
  /** Adds up the samples charged to an activity, selected or not. */
  readonly charged: CpuTime = noTime();
  readonly #isRoot: ActivityTreeOptions['isRoot'];
  readonly #selected = new WeakSet<TracedActivity>();
  readonly #times = new Map<TracedActivity | Nobody, CpuTime>();

  /** @param isRoot see `ActivityTreeOptions` */
  constructor(isRoot: ActivityTreeOptions['isRoot']) {
    this.#isRoot = isRoot;
  }

  /** Takes any event in time order. */
  add(event: TraceEvent): void {
    const change = this.activities.add(event);
    if (change?.boundary !== 'Start' || this.#isRoot === undefined) return;
    const { activity } = change;
    const { parent } = activity;
    const isInside = parent !== undefined && this.#selected.has(parent);
    if (isInside || this.#isRoot(event, activity)) this.#selected.add(activity);
  }

  /** @returns whether the sample is in a selected activity */
  addSample(sample: Charged): boolean {
    const owner = ownerOf(sample);
    addTo(this.all, sample);
    if (typeof owner !== 'string') addTo(this.charged, sample);
    if (!this.#isSelected(owner)) return false;
    const known = this.#times.get(owner);
    if (known !== undefined) addTo(known, sample);
    else if (this.#times.size < MAX_ACTIVITIES) this.#times.set(owner, addTo(noTime(), sample));
    else this.#times.set(NOBODY.tooMany, addTo(this.#times.get(NOBODY.tooMany) ?? noTime(), sample));
    return true;
  }

  /** Returns the selected activities by name. */
  names(): ReadonlyMap<string, CpuName> {
    const roots = new Map<string, CpuName>();
    const seen = new Set<TracedActivity>();
    for (const [owner, time] of this.#times) {
      let inside = roots;
      let last: CpuName | undefined;
      for (const part of typeof owner === 'string' ? [owner] : this.#pathTo(owner)) {
        last = nameIn(inside, part);
        addTime(last.total, time);
        if (typeof part !== 'string' && !seen.has(part)) {
          seen.add(part);
          last.activities++;
        }
        inside = last.inside;
      }
      if (last !== undefined) addTime(last.self, time);
    }
    return roots;
  }

  #isSelected(owner: TracedActivity | Nobody): boolean {
    return this.#isRoot === undefined || (typeof owner !== 'string' && this.#selected.has(owner));
  }

  /** Returns the path from the outermost selected activity. */
  #pathTo(activity: TracedActivity): TracedActivity[] {
    const path: TracedActivity[] = [];
    let at: TracedActivity | undefined = activity;
    for (; at !== undefined && this.#isSelected(at); at = at.parent) path.push(at);
    return path.reverse();
  }
}

function ownerOf({ run }: Charged): TracedActivity | Nobody {
  if (run === undefined) return NOBODY.noSwitches;
  return run.activity ?? (run.activityId === undefined ? NOBODY.noActivity : NOBODY.unknownActivity);
}

function nameIn(names: Map<string, CpuName>, part: TracedActivity | Nobody): CpuName {
  const isNobody = typeof part === 'string';
  const name = isNobody ? part : part.name;
  const known = names.get(name);
  if (known !== undefined) return known;
  const added = { name, isNobody, activities: 0, total: noTime(), self: noTime(), inside: new Map() };
  names.set(name, added);
  return added;
}

function noTime(): CpuTime {
  return { samples: 0, ns: 0, intervals: 0, offNs: 0 };
}

function addTo(time: CpuTime, { ns, onCpu = 1 }: Charged): CpuTime {
  time.samples++;
  if (ns === undefined) time.intervals++;
  else {
    time.ns += ns * onCpu;
    time.offNs += ns * (1 - onCpu);
  }
  return time;
}

function addTime(sum: CpuTime, { samples, ns, intervals, offNs }: CpuTime): void {
  sum.offNs += offNs;
  sum.samples += samples;
  sum.ns += ns;
  sum.intervals += intervals;
}

/**
 * All names and what is inside them, the largest first and nobody last.
 *
 * @param valueIn by which they are sorted
 */
export function* namedTimes(
  names: ReadonlyMap<string, CpuName>,
  valueIn: (time: CpuTime) => number,
): Generator<{ node: CpuName; path: readonly string[] }, void, undefined> {
  const sorted = (level: ReadonlyMap<string, CpuName>) =>
    [...level.values()].sort(
      (a, b) => Number(b.isNobody) - Number(a.isNobody) || valueIn(a.total) - valueIn(b.total),
    );
  const open: { names: CpuName[]; path: readonly string[] }[] = [{ names: sorted(names), path: [] }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const node = level.names.pop();
    if (node === undefined) {
      open.pop();
      continue;
    }
    yield { node, path: level.path };
    open.push({ names: sorted(node.inside), path: [...level.path, node.name] });
  }
}

/** The CPU time of all activities of one name inside those of others. */
export interface CpuActivity {
  /** The activities' name; undefined for samples of none. */
  readonly activity: string | undefined;
  /** Why samples are charged to no activity. */
  readonly nobody: string | undefined;
  /** The names of the activities around it, the outermost first. */
  readonly inside: readonly string[];
  /** How many activities took CPU time, themselves or something inside them. */
  readonly activities: number;
  /** The total includes everything inside. */
  readonly totalMSec: number;
  readonly selfMSec: number;
  /** Time on the thread, but not on a processor. */
  readonly offCpuMSec: number;
  readonly totalSamples: number;
  readonly selfSamples: number;
}

/** @param nsOf nanoseconds on a processor */
export function cpuActivity(
  { name, isNobody, activities, total, self }: CpuName,
  path: readonly string[],
  nsOf: (time: CpuTime) => number,
): CpuActivity {
  return {
    activity: isNobody ? undefined : name,
    nobody: isNobody ? name : undefined,
    inside: path,
    activities,
    totalMSec: nsOf(total) / 1e6,
    selfMSec: nsOf(self) / 1e6,
    offCpuMSec: total.offNs / 1e6,
    totalSamples: total.samples,
    selfSamples: self.samples,
  };
}
