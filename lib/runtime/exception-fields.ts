/** What was thrown, as fields of an event. Anything can be thrown, also what throws when it is looked at. */
import { thrownText, thrownTextWithStack } from '../base/value-text.ts';

/** In characters. Even if each takes three bytes, they fit into an event of 8 KB together. */
const MAX_NAME = 100;
const MAX_MESSAGE = 500;
const MAX_STACK = 1800;

interface ThrownFields {
  /** An error's name; for other values what `typeof` says. */
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

/** An event that is too large for the tracer would be dropped: rather the beginning of a text than none. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
