/** Formats times for the page. */

const UNITS = [
  { unit: 's', ns: 1e9 },
  { unit: 'ms', ns: 1e6 },
  { unit: 'µs', ns: 1e3 },
] as const;

/** Shows three digits in a suitable unit: `66.7 ms`. */
export function durationText(ns: number): string {
  const { unit, ns: size } = UNITS.find((candidate) => Math.abs(ns) >= candidate.ns) ?? { unit: 'ns', ns: 1 };
  const value = ns / size;
  const digits = size === 1 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return `${NUMBER.format(withoutMinusZero(Number(value.toFixed(Math.min(3, digits)))))} ${unit}`;
}

/** Rounding up leaves -0 of what is a little less than 0. */
function withoutMinusZero(value: number): number {
  return value + 0;
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export interface Tick {
  readonly ns: number;
  readonly text: string;
}

/**
 * Round instants for a ruler, all in the unit of the distance between two.
 *
 * @param count the maximum number
 */
export function ticks(startNs: number, endNs: number, count: number): Tick[] {
  const least = (endNs - startNs) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
  const { unit, ns: size } = UNITS.find((candidate) => step >= candidate.ns) ?? { unit: 'ns', ns: 1 };
  const found: Tick[] = [];
  for (let ns = Math.ceil(startNs / step) * step; ns <= endNs; ns += step) {
    found.push({ ns, text: `${NUMBER.format(withoutMinusZero(ns / size))} ${unit}` });
    if (found.length > count + 1) break;
  }
  return found;
}
