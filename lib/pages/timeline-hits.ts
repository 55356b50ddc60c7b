/** Finds the activity or event under the mouse. */
import { firstWhere } from './grouped.ts';
import type { Lanes } from './lanes.ts';
import type { ReportData } from './report-data.ts';
import { type Scale, timeAt } from './timeline-paint.ts';

/** The mouse may miss a narrow bar or a mark by this many pixels. */
const REACH = 4;

interface Hits {
  readonly lanes: Lanes;
  readonly data: ReportData;
  readonly scale: Scale;
}

/** The activity at this position, otherwise one nearby. */
export function activityAt({ lanes, data, scale }: Hits, row: number, x: number): number | undefined {
  const { starts, items } = lanes.activitiesByRow;
  const { start, end } = data.activities;
  const [from, to] = [starts[row] as number, starts[row + 1] as number];
  const between = (left: number, right: number) => {
    const leftNs = timeAt(scale, left);
    const at = firstWhere(from, to, (place) => (end[items[place] as number] as number) >= leftNs);
    const isHit = at < to && (start[items[at] as number] as number) <= timeAt(scale, right);
    return isHit ? items[at] : undefined;
  };
  return between(x, x) ?? between(x - REACH, x + REACH);
}

/** The nearest event, if it is near enough. */
export function eventAt({ lanes, data, scale }: Hits, row: number, x: number): number | undefined {
  const { starts, items } = lanes.eventsByRow;
  const [from, to] = [starts[row] as number, starts[row + 1] as number];
  const ns = timeAt(scale, x);
  const timeOf = (place: number) => data.events.time[items[place] as number] as number;
  const distance = (place: number) => Math.abs(timeOf(place) - ns);
  const behind = firstWhere(from, to, (place) => timeOf(place) >= ns);
  const candidates = [behind - 1, behind].filter((place) => place >= from && place < to);
  const [nearest] = candidates.sort((a, b) => distance(a) - distance(b));
  const isNear = nearest !== undefined && distance(nearest) <= REACH / scale.pixelsPerNs;
  return isNear ? items[nearest] : undefined;
}
