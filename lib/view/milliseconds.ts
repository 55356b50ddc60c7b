/** Times and durations as PerfView prints them: `6,619.232`, in milliseconds, wherever the machine is. */

/** @param ns whole nanoseconds */
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
