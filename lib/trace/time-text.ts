/** Times formatted for people. */
import type { Nanoseconds } from './trace-event.ts';

const NS_PER_SECOND = 1_000_000_000n;

/** The last instant of JavaScript's Date; the first is as far back. */
const DATE_LIMIT_NS = 8_640_000_000_000n * NS_PER_SECOND;

/** Nanoseconds since 1970 as `2024-03-28T00:45:12.640913120Z`; if no date has that value, as a number. */
export function timeText(time: Nanoseconds): string {
  if (time > DATE_LIMIT_NS || time < -DATE_LIMIT_NS) return `${time} ns`;
  const fraction = ((time % NS_PER_SECOND) + NS_PER_SECOND) % NS_PER_SECOND;
  const seconds = new Date(Number((time - fraction) / NS_PER_SECOND) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(9, '0')}Z`;
}
