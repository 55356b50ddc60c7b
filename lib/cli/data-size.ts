/** Sizes and counts, formatted for people. */
import { thousands } from '../view/milliseconds.ts';

export function dataSize(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `1 event`, `12,345 events`, `3 activities`. */
export function countText(count: number, thing: string): string {
  const things = thing.endsWith('y') ? `${thing.slice(0, -1)}ies` : `${thing}s`;
  return `${thousands(count)} ${count === 1 ? thing : things}`;
}
