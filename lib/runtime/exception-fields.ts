/** What was thrown, as fields of an event. Anything can be thrown, even a value that throws when it is examined. */
import { thrownText, thrownTextWithStack } from '../base/value-text.ts';

/** In characters. Even at three bytes each, they fit into an 8 KB event together. */
const MAX_NAME = 100;
const MAX_MESSAGE = 500;
const MAX_STACK = 1800;

interface ThrownFields {
  /** An error's name; for other values the result of `typeof`. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
}

export function thrownFields(thrown: unknown): ThrownFields {
  const isError = isAnError(thrown);
  return {
    type: shortened((isError && textOf(thrown, 'name')) || typeof thrown, MAX_NAME),
    code: shortened(isError ? textOf(thrown, 'code') : '', MAX_NAME),
    message: shortened(isError ? textOf(thrown, 'message') : thrownText(thrown), MAX_MESSAGE),
    stack: shortened(isError ? thrownTextWithStack(thrown) : '', MAX_STACK),
  };
}

/** A proxy may throw even here. */
function isAnError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}

function textOf(error: Error, member: 'name' | 'message' | 'code'): string {
  try {
    const value = (error as { readonly [name in typeof member]?: unknown })[member];
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

/** The tracer would drop an event that is too large: the beginning of a text is better than nothing. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
