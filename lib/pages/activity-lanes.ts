/**
 * What happened around an activity, lane by lane on one time axis: when its own code ran, what else its thread ran,
 * collections of garbage, what it waited for.
 */
import { firstWhere, indicesWhere } from './grouped.ts';
import type { ReportData } from './report-data.ts';
import { durationText } from './time-text.ts';

/** The axis begins and ends so much beside the activity, as a share of its duration. */
const MARGIN = 0.03;
/** Bars closer to each other than this share of the axis become one. */
const LEAST_SHARE = 1 / 600;
/** So many runs are read. */
const MAX_RUNS = 20_000;
/** Calls at the same time have so many rows. */
const MAX_ROWS = 6;
const NS_PER_MS = 1e6;

export interface LaneBar {
  readonly from: number;
  readonly to: number;
  /** It is undefined for several, and for none. */
  readonly activity: number | undefined;
  readonly text: string;
  readonly kind: 'own' | 'activity' | 'outside' | 'several' | 'collection' | 'wait';
}

interface ActivityLane {
  readonly title: string;
  readonly bars: readonly LaneBar[];
}

export interface ActivityLanes {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly ActivityLane[];
  /** It says whether there were more runs than are shown. */
  readonly isCut: boolean;
}

interface Run {
  readonly from: number;
  readonly to: number;
  /** It is -1 for none. */
  readonly activity: number;
}

/** The runs are found by time: a trace can have a million. */
export class LaneSource {
  readonly #data: ReportData;
  /** These are events. */
  readonly #runs: Uint32Array;

  constructor(data: ReportData) {
    this.#data = data;
    this.#runs = indicesWhere(data.events.count, (event) => this.isRun(event));
  }

  isRun(event: number): boolean {
    return this.#data.events.kindOf(event).isRun === true;
  }

  lanesOf(activity: number): ActivityLanes {
    const { activities } = this.#data;
    const [start, end] = [activities.start[activity] as number, activities.end[activity] as number];
    const margin = Math.max(1, MARGIN * (end - start));
    const [from, to] = [start - margin, end + margin];
    const { runs, isCut } = this.#runsOf(activities.thread[activity] as number, from, to);
    const isOwn = (run: Run) => this.#isIn(run.activity, activity);
    const lanes: ActivityLane[] = [
      {
        title: 'This activity',
        bars: runs.filter(isOwn).map((run) => ({ ...run, text: 'ran', kind: 'own' as const })),
      },
      { title: 'Event loop', bars: runs.map((run) => this.#barOfRun(run, isOwn(run))) },
      { title: 'Garbage collection', bars: this.#collections(activity, from, to) },
      ...this.#callLanes(activity),
    ];
    const shown = lanes.filter(({ title, bars }) => bars.length > 0 || title === 'This activity');
    const least = (to - from) * LEAST_SHARE;
    return {
      from,
      to,
      isCut,
      lanes: shown.map(({ title, bars }) => ({ title, bars: joined(bars, from, to, least) })),
    };
  }

  #runsOf(thread: number, from: number, to: number): { runs: Run[]; isCut: boolean } {
    const { events } = this.#data;
    const runs: Run[] = [];
    const timeOf = (at: number) => events.time[this.#runs[at] as number] as number;
    const first = firstWhere(0, this.#runs.length, (at) => timeOf(at) >= from);
    for (let at = first; at < this.#runs.length; at++) {
      const event = this.#runs[at] as number;
      if (events.thread[event] !== thread) continue;
      if (runs.length === MAX_RUNS) return { runs, isCut: true };
      const fields = new Map(events.payload(event)?.map(({ name, value }) => [name, Number(value)]));
      const start = (events.time[event] as number) - (fields.get('startedAgoMSec') ?? 0) * NS_PER_MS;
      const end = start + (fields.get('durationMSec') ?? 0) * NS_PER_MS;
      if (start >= to) break;
      if (end > from) runs.push({ from: start, to: end, activity: events.activity[event] as number });
    }
    return { runs, isCut: false };
  }

  #barOfRun({ from, to, activity }: Run, isOwn: boolean): LaneBar {
    const kind = isOwn ? 'own' : activity < 0 ? 'outside' : 'activity';
    const text = activity < 0 ? 'code outside of activities' : this.#data.activities.title(activity);
    return { from, to, activity: activity < 0 ? undefined : activity, text, kind };
  }

  #collections(activity: number, from: number, to: number): LaneBar[] {
    const { activities, header, tracks } = this.#data;
    const thread = header.threads[activities.thread[activity] as number];
    const bars: LaneBar[] = [];
    for (const { isSpans, thread: own, times, values, kinds } of tracks) {
      const { processId, threadId } = header.threads[own] ?? {};
      const isOther = processId !== thread?.processId || (threadId ?? thread?.threadId) !== thread?.threadId;
      if (!isSpans || isOther) continue;
      for (const [point, start] of times.entries()) {
        const end = start + (values[point] as number);
        if (end <= from || start >= to) continue;
        bars.push({
          from: start,
          to: end,
          activity: undefined,
          text: kinds[point] ?? '',
          kind: 'collection',
        });
      }
    }
    return bars;
  }

  /** The lanes show what it waited its turn for, and its calls in as many rows as run at the same time. */
  #callLanes(activity: number): ActivityLane[] {
    const { activities } = this.#data;
    const waits: LaneBar[] = [];
    const rows: LaneBar[][] = [];
    for (const child of activities.children(activity)) {
      const [from, to] = [activities.start[child] as number, activities.end[child] as number];
      const text = activities.title(child);
      if (CONNECTIONS.has(`${activities.provider(child)}/${activities.name(child)}`)) {
        waits.push({ from, to, activity: child, text, kind: 'wait' });
        continue;
      }
      const free = rows.findIndex((row) => (row.at(-1)?.to ?? 0) <= from);
      const row = free >= 0 ? free : Math.min(rows.length, MAX_ROWS - 1);
      rows[row] ??= [];
      rows[row]?.push({ from, to, activity: child, text, kind: 'activity' });
    }
    const title = (row: number) => (row === 0 ? 'Calls' : row === MAX_ROWS - 1 ? 'further calls' : '');
    return [{ title: 'Connections', bars: waits }, ...rows.map((bars, row) => ({ title: title(row), bars }))];
  }

  #isIn(activity: number, around: number): boolean {
    let up = activity;
    while (up > around) up = this.#data.activities.parent[up] as number;
    return up === around;
  }
}

const CONNECTIONS = new Set([
  'Node.Database/Acquire',
  'Node.Database/Connect',
  'Node.Net/Connect',
  'System.Net.Sockets/Connect',
]);

/** The bars are cut to the axis, and those that are too short to tell apart become one. */
function joined(bars: readonly LaneBar[], from: number, to: number, least: number): LaneBar[] {
  const made: LaneBar[] = [];
  const isShort = (bar: LaneBar) => bar.to - bar.from < least || bar.kind === 'several';
  for (const each of bars) {
    const bar = { ...each, from: Math.max(from, each.from), to: Math.min(to, each.to) };
    if (bar.to < bar.from) continue;
    bar.text = `${bar.text} · ${durationText(each.to - each.from)}`;
    const last = made.at(-1);
    const isNear = last !== undefined && bar.from - last.to < least;
    const isSame =
      isNear && last.kind === bar.kind && last.activity === bar.activity && bar.activity !== undefined;
    if (isSame) made[made.length - 1] = { ...last, to: Math.max(last.to, bar.to) };
    else if (isNear && isShort(bar) && isShort(last)) {
      const kind = last.kind === bar.kind && bar.kind !== 'activity' ? bar.kind : 'several';
      const text = kind === 'several' ? 'several, too short to tell apart' : bar.text;
      made[made.length - 1] = { ...last, to: Math.max(last.to, bar.to), activity: undefined, kind, text };
    } else made.push(bar);
  }
  return made;
}
