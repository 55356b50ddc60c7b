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
    // For example a getter of an error's stack.
    return `a value of type ${typeof value} that cannot be shown`;
  }
}

/** The limit is beyond any message and stack that a person reads; an error can have a message of any size. */
const MAX_TEXT = 20_000;

/** What was thrown, with the name of its type if it is an error. */
export function thrownText(thrown: unknown): string {
  try {
    return bounded(String(thrown));
  } catch {
    return bounded(shown(thrown));
  }
}

/** The message of an error; for anything else the same as `thrownText`. */
export function thrownMessage(thrown: unknown): string {
  try {
    if (isAnError(thrown) && typeof thrown.message === 'string') return bounded(thrown.message);
  } catch {
    // A getter that throws.
  }
  return thrownText(thrown);
}

/** What was thrown, with its location if it is an error that has one. */
export function thrownTextWithStack(thrown: unknown): string {
  try {
    if (isAnError(thrown) && typeof thrown.stack === 'string') return bounded(thrown.stack);
  } catch {
    // A getter that throws.
  }
  return thrownText(thrown);
}

/** A proxy may throw even here. */
export function isAnError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
