/**
 * Values that applications gave or threw, as text for reports. Nothing here throws, whatever the value: a
 * report is not to break what it reports on.
 */
import { inspect } from 'node:util';

/** The value as it would be written in JavaScript, on one line and not at length. */
export function shown(value: unknown): string {
  try {
    return inspect(value, {
      depth: 1,
      maxStringLength: 60,
      breakLength: Number.POSITIVE_INFINITY,
      customInspect: false,
    });
  } catch {
    return `a value of type ${typeof value} that cannot be shown`;
  }
}

/** What was thrown, in its own words. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return shown(thrown);
  }
}

/** What was thrown, and where if it is an error that knows it. */
export function thrownTextWithStack(thrown: unknown): string {
  try {
    if (thrown instanceof Error && typeof thrown.stack === 'string') return thrown.stack;
  } catch {
    // A getter or a proxy that throws.
  }
  return thrownText(thrown);
}
