// The sessions of a Windows program's test: what tools like PerfView and logman ask of the providers in this
// process. For programs run with `recorder: true`, which loads the addon etwrec.node before all others.
//
// A provider is named by its GUID, as text without braces, a session by any text. A session's request is brought to the provider's
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
 * @param {{ session?: string, level?: number, any?: bigint, all?: bigint, filter?: Uint8Array, wait?: boolean }} [options]
 */
export function enable(provider, options = {}) {
  const { session = 'session', level = 0, any = 0n, all = 0n, filter, wait = true } = options;
  addon.send(provider, ENABLE, level, any, all, filter, wait, session, false);
}

/** Ends the session's interest. */
export function disable(provider, { session = 'session', wait = true } = {}) {
  addon.send(provider, DISABLE, 0, 0n, 0n, undefined, wait, session, false);
}

/** The same for all providers of a group, as with EVENT_ENABLE_PROPERTY_PROVIDER_GROUP. */
export function enableGroup(group, { level = 0, any = 0n } = {}) {
  addon.send(group, ENABLE, level, any, 0n, undefined, true, 'group session', true);
}

export function disableGroup(group) {
  addon.send(group, DISABLE, 0, 0n, 0n, undefined, true, 'group session', true);
}

/** Asks the provider to write its state; changes nothing of what is enabled. */
export function captureState(provider, { level = 0, any = 0n, all = 0n, filter, wait = true } = {}) {
  addon.send(provider, CAPTURE_STATE, level, any, all, filter, wait, 'session', false);
}

/** Waits until all that was asked with `wait: false` has reached the providers. */
export function settle() {
  addon.settle();
}

/**
 * Has the next calls fail with a Windows status, such as 8 (the session cannot keep up), 87 (invalid parameter),
 * 234 (larger than the session's buffers) or 534 (larger than 64 KB).
 * @param {'register' | 'setInformation' | 'write' | 'startTrace' | 'enableTrace' | 'controlTrace' | 'traceInformation' |
 *   'privilege' | 'openTrace' | 'processTrace'} operation
 */
export function failNext(operation, status, count = 1) {
  addon.failNext(operation, status, count);
}

/** Gives the sessions buffers of so many bytes: ETW refuses (234) an event that is larger than one, headers included. */
export function setBufferSize(bytes) {
  addon.setBufferSize(bytes);
}

/** Puts a line { op: 'mark', text } among the recorded calls. Letters, digits and spaces. */
export function mark(text) {
  addon.mark(text);
}

/**
 * A session of that name, which another program has started.
 * @param {string} name
 * @param {string} file
 * @param {{ realTimeOf?: string }} [options] in real time, with this provider
 */
export function addSession(name, file, { realTimeOf } = {}) {
  addon.addSession(name, file, realTimeOf);
}

/** How many bytes of events sessions that start from now on keep for consumers in real time. */
export function limitRealTime(bytes) {
  addon.limitRealTime(bytes);
}

/**
 * Ends a session, as another program does, or ETW when its file is as large as it may be.
 * @returns {boolean} whether there was one
 */
export function endSession(name) {
  return addon.endSession(name);
}

/** What sessions that this process has started say that they have lost. */
export function setLosses(events, buffers, realTimeBuffers = 0) {
  addon.setLosses(events, buffers, realTimeBuffers);
}

const NO_GUID = '00000000-0000-0000-0000-000000000000';

/** An event of a provider in another process. */
export function elsewhere(provider, event = {}) {
  const {
    group = NO_GUID,
    process = 4711,
    executable = 'other.exe',
    id = 0,
    level = 5,
    keyword = 1n,
  } = event;
  const { name = '', size = 100 } = event;
  addon.elsewhere(provider, group, process, executable, id, level, keyword, name, size);
}

/** An event of the kernel: its bit of EnableFlags, the GUID of its class, and its type. */
export function kernel(flag, kind, type) {
  addon.kernel(flag, kind, type);
}

/**
 * What sessions have written: for each file a label for each event, its name or "#id" and what is added to it. For a
 * session in real time, what its consumers get is under its name.
 * @returns {Record<string, string[]>}
 */
export function tracedFiles() {
  return JSON.parse(addon.tracedFiles());
}

/**
 * What Windows lists from now on, besides this process's own.
 * @param {{
 *   sessions?: { number: number, name: string, file?: string, mode?: number, bufferKib?: number, buffers?: number,
 *     eventsLost?: number, buffersLost?: number, realTimeBuffersLost?: number }[],
 *   registered?: { guid: string, name?: string, source?: number }[],
 *   running?: { guid: string, isGone?: boolean, cut?: number, instances?: { pid: number, flags?: number,
 *     enabledBy?: { number: number, level?: number, any?: bigint, all?: bigint, properties?: number }[] }[] }[],
 *   fail?: { what: string, status: number }[],
 * }} lists `isGone`: it ends before it is asked for; `cut`: so many bytes of its answer are missing; `what`: a
 *   function, or a GUID
 */
export function setLists(lists) {
  addon.setLists(lists);
}
