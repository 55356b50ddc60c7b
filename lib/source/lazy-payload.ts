/** Payloads as applications pass them: an object, or a function that creates it. */
import type { Payload } from '../wire/values/faults.ts';

/** A payload, or a function that creates it, called only if the event is enabled. */
export type LazyPayload = Payload | (() => Payload);

/** Frozen, because listeners get it and it is shared. */
const NO_PAYLOAD: Payload = Object.freeze({});

/** Throws what the function throws. */
export function payloadOf(lazyPayload: LazyPayload | undefined): Payload {
  if (typeof lazyPayload === 'function') return lazyPayload() ?? NO_PAYLOAD;
  if (typeof lazyPayload === 'object' && lazyPayload !== null) return lazyPayload;
  // Without fields, nothing is missing; with fields, each is missing and counted.
  return NO_PAYLOAD;
}
