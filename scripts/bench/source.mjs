// The event source that is measured, and its payloads.
import { defineEventSource, event } from 'tracewright';

/** Several events, as in applications: V8 treats a function that exists only once specially. */
export function defineBenchmarkSource() {
  return defineEventSource('Tracewright-Benchmark', {
    CacheMiss: event(threeFields),
    CacheHit: event(threeFields),
    Tick: event(),
    RequestStart: event(threeFields),
    RequestStop: event({ success: 'bool' }),
    QueryStart: event(threeFields),
    QueryStop: event({ success: 'bool' }),
  });
}

export const threeFields = /** @type {const} */ ({ key: 'string', size: 'uint32', ratio: 'double' });

export const KEY = 'user:12345678';
export const payload = { key: KEY, size: 4096, ratio: 0.25 };
export const stopPayload = { success: true };
