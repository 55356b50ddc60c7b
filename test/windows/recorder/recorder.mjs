// The sessions of a Windows program's test: what tools like PerfView and logman ask of the providers in this
// process. For programs run with `recorder: true`, which loads the addon etwrec.node before all others.
//
// A provider is named by its GUID, as text without braces. A session's request is brought to the provider's
// callback by another thread, as ETW does; `wait: false` goes on without waiting for that. An any-keyword or level
// of 0 asks for everything.
import { createRequire } from 'node:module';

const addon = createRequire(import.meta.url)(process.env.TRACEWRIGHT_ETW_RECORDER);

const DISABLE = 0;
const ENABLE = 1;
const CAPTURE_STATE = 2;

/**
 * Starts a session's interest in the provider, or changes it. It holds for registrations to come.
 * @param {string} provider
 * @param {{ level?: number, any?: bigint, all?: bigint, filter?: Uint8Array, wait?: boolean }} [options]
 */
export function enable(provider, { level = 0, any = 0n, all = 0n, filter, wait = true } = {}) {
  addon.send(provider, ENABLE, level, any, all, filter, wait);
}

/** Ends the session's interest. */
export function disable(provider, { wait = true } = {}) {
  addon.send(provider, DISABLE, 0, 0n, 0n, undefined, wait);
}

/** Asks the provider to write its state; changes nothing of what is enabled. */
export function captureState(provider, { level = 0, any = 0n, all = 0n, filter, wait = true } = {}) {
  addon.send(provider, CAPTURE_STATE, level, any, all, filter, wait);
}

/** Waits until all that was asked with `wait: false` has reached the providers. */
export function settle() {
  addon.settle();
}

/**
 * Has the next calls fail with a Windows status, such as 8 (the session cannot keep up), 87 (invalid parameter),
 * 234 (larger than the session's buffers) or 534 (larger than 64 KB).
 * @param {'register' | 'setInformation' | 'write' | 'startTrace' | 'enableTrace' | 'controlTrace'} operation
 */
export function failNext(operation, status, count = 1) {
  addon.failNext(operation, status, count);
}

/** Puts a line { op: 'mark', text } among the recorded calls. Letters, digits and spaces. */
export function mark(text) {
  addon.mark(text);
}

/** What sessions that this process has started say, when they end, that they have lost. */
export function setLosses(events, buffers) {
  addon.setLosses(events, buffers);
}
