/** Times, durations, sizes and counts for people, in a form that does not depend on the machine's locale. */

/**
 * Shows times and durations in PerfView's format: `6,619.232`.
 *
 * @param ns whole nanoseconds
 */
export function milliseconds(ns: number): string {
  const us = Math.round(Math.abs(ns) / 1000);
  const sign = ns < 0 && us > 0 ? '-' : '';
  return `${sign}${thousands(Math.floor(us / 1000))}.${String(us % 1000).padStart(3, '0')}`;
}

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `3,576` */
export function thousands(whole: number): string {
  return WHOLE.format(whole);
}

/** Sizes and counts, formatted for people. */
export function dataSize(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `1 event`, `12,345 events`, `3 activities`. */
export function countText(count: number, thing: string): string {
  const things = thing.endsWith('y') ? `${thing.slice(0, -1)}ies` : `${thing}s`;
  return `${thousands(count)} ${count === 1 ? thing : things}`;
}
