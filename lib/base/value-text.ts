/**
 * Values that applications pass or throw, as text for messages. Nothing here throws, whatever the value: a report must
 * not fail because of what it reports.
 */
import { inspect } from 'node:util';

/** The value as JavaScript source, on one line and abridged. */
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

/** The message of what was thrown. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return shown(thrown);
  }
}

/** What was thrown, with its location if it is an error that has one. */
export function thrownTextWithStack(thrown: unknown): string {
  try {
    if (thrown instanceof Error && typeof thrown.stack === 'string') return thrown.stack;
  } catch {
    // A getter or a proxy that throws.
  }
  return thrownText(thrown);
}
