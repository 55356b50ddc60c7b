/** Values and spans over time, track by track, in the order in which they are shown. */
import { dataSize } from '../view/number-text.ts';
import type { ReportHeader, ReportTrack } from '../view/report/report-header.ts';
import type { Columns } from './columns.ts';
import { firstWhere, grouped, itemsOf } from './grouped.ts';
import { nanoseconds, optionalNumbers, wholeNumbers } from './numbers.ts';
import { durationText } from './time-text.ts';

export interface Track extends ReportTrack {
  /** The index is a point, in the order of time. A value is of the time up to it, since the one before. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** The name of each span. */
  readonly kinds: readonly string[];
  readonly most: number;
}

export function tracksOf({ tracks, spanKinds }: ReportHeader, columns: Columns): Track[] {
  const times = nanoseconds(columns.pointTime, false);
  const kinds = optionalNumbers(columns.pointKind);
  const { buffer, byteOffset, byteLength } = columns.pointValue;
  const view = new DataView(buffer, byteOffset, byteLength);
  const points = grouped(Int32Array.from(wholeNumbers(columns.pointTrack)), tracks.length);
  const made = tracks.map((track, index): Track => {
    const own = itemsOf(points, index).sort((a, b) => (times[a] as number) - (times[b] as number));
    const values = Float64Array.from(own, (point) => view.getFloat64(point * 8, true));
    return {
      ...track,
      times: Float64Array.from(own, (point) => times[point] as number),
      values,
      kinds: track.isSpans ? Array.from(own, (point) => spanKinds[kinds[point] as number] ?? '') : [],
      most: values.reduce((most, value) => Math.max(most, value), 0),
    };
  });
  return made.sort((a, b) => rankOf(a) - rankOf(b));
}

/** These come right after spans, since they tell most. */
const FIRST_TITLES = ['Event-loop delay, longest', 'Event-loop utilization', 'CPU Usage', 'Heap in use'];

function rankOf({ isSpans, title }: ReportTrack): number {
  const place = FIRST_TITLES.indexOf(title);
  return isSpans ? -1 : place < 0 ? FIRST_TITLES.length : place;
}

/** What the track says about an instant: `12.3 MB`; empty if it says nothing. */
export function textAt(track: Track, ns: number, reachNs: number): string {
  const { times, values, kinds, isSpans } = track;
  if (!isSpans) {
    const at = firstWhere(0, times.length, (point) => (times[point] as number) >= ns);
    return at < times.length ? valueText(track, values[at] as number) : '';
  }
  // Spans can overlap: the last one that started counts.
  const after = firstWhere(0, times.length, (point) => (times[point] as number) > ns + reachNs);
  const [start = 0, duration = -1] = [times[after - 1], values[after - 1]];
  return start + duration >= ns - reachNs ? `${kinds[after - 1]} ${durationText(duration)}` : '';
}

/** Shows the value in the unit of the track, with four digits. */
export function valueText({ unit }: ReportTrack, value: number): string {
  const [, base, per = ''] = /^(B|By)(\/s)?$/.exec(unit) ?? [];
  if (base !== undefined) return `${dataSize(value)}${per}`;
  return `${NUMBER.format(value)} ${unit}`.trimEnd();
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
