/** What was thrown, as fields of an event. Anything can be thrown, even a value that throws when it is examined. */
import { isAnError, thrownText, thrownTextWithStack } from './value-text.ts';

/** The limits count characters: even at three bytes each, they fit into an 8 KB event together. */
const MAX_NAME = 100;
const MAX_MESSAGE = 500;
const MAX_STACK = 1800;

/** What a Stop event says about the error that ended its activity. */
export type FailureFields = {
  /** OpenTelemetry's `error.type`: a code such as ECONNREFUSED, otherwise the error's name. */
  readonly errorType: string;
  readonly errorMessage: string;
  /** Its frames, once per kind of error and second; empty for other values. */
  readonly errorStack: string;
};

/** Their types, for the definition of an event. */
export const FAILURE = { errorType: 'string', errorMessage: 'string', errorStack: 'string' } as const;

export const NO_FAILURE: FailureFields = { errorType: '', errorMessage: '', errorStack: '' };

interface ThrownFields {
  /** An error's name; for other values the result of `typeof`. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
}

export function thrownFields(thrown: unknown): ThrownFields {
  return {
    ...errorFields(thrown),
    stack: shortened(isAnError(thrown) ? thrownTextWithStack(thrown) : '', MAX_STACK),
  };
}

export function failureFields(thrown: unknown): FailureFields {
  const { type, code, message } = errorFields(thrown);
  const errorType = code === '' ? type : code;
  const errorStack = isAnError(thrown) ? toldStack(thrown, `${errorType} ${message}`) : '';
  return { errorType, errorMessage: message, errorStack };
}

/** A handler and its request fail with the same error. */
function toldStack(error: Error, kind: string): string {
  let stack = told.get(error);
  if (stack === undefined) {
    stack = newKinds.add(kind) ? shortened(framesOf(error), MAX_STACK) : '';
    told.set(error, stack);
  }
  return stack;
}

function errorFields(thrown: unknown): Omit<ThrownFields, 'stack'> {
  const isError = isAnError(thrown);
  return {
    type: shortened((isError && textOf(thrown, 'name')) || typeof thrown, MAX_NAME),
    code: shortened(isError ? textOf(thrown, 'code') : '', MAX_NAME),
    message: shortened(isError ? textOf(thrown, 'message') : thrownText(thrown), MAX_MESSAGE),
  };
}

const told = new WeakMap<Error, string>();

/** The kinds of errors of this second: V8 makes the text of a stack when it is first read, which takes microseconds. */
const newKinds = {
  kinds: new Set<string>(),
  since: 0,
  /** Whether it is the first of its kind, and one of few kinds. */
  add(kind: string): boolean {
    const now = performance.now();
    if (now - this.since > KINDS_MS) {
      this.kinds.clear();
      this.since = now;
    }
    if (this.kinds.size === MAX_KINDS || this.kinds.has(kind)) return false;
    this.kinds.add(kind);
    return true;
  },
};

const KINDS_MS = 1000;
const MAX_KINDS = 20;

/** Leaves out the message above the frames, which may be one that must not be told. */
function framesOf(error: Error): string {
  const stack = thrownTextWithStack(error);
  const message = textOf(error, 'message');
  const at = stack.indexOf(message);
  const first = stack.indexOf('\n    at ', at < 0 ? 0 : at + message.length);
  return first < 0 ? '' : stack.slice(first + 1).replace(/^ {4}/gm, '');
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
