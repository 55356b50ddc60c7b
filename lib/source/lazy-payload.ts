/** Payloads as applications give them: an object, or a function that makes it. */
import type { Payload } from '../wire/values/faults.ts';

/** A payload, or a function that makes it, called only when somebody wants the event. */
export type LazyPayload = Payload | (() => Payload);

/** Frozen, because listeners get it and it is everyone's. */
const NO_PAYLOAD: Payload = Object.freeze({});

/** Throws what the function throws. */
export function payloadOf(lazyPayload: LazyPayload | undefined): Payload {
  if (typeof lazyPayload === 'function') return lazyPayload() ?? NO_PAYLOAD;
  if (typeof lazyPayload === 'object' && lazyPayload !== null) return lazyPayload;
  // Without fields nothing is missing; with fields each one is, and is counted.
  return NO_PAYLOAD;
}
