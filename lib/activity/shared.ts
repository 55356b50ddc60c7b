/**
 * What all copies of this package in one thread share, or their activity ids would not be unique: the
 * tracker with its counters, and the flow.
 */
import { threadId } from 'node:worker_threads';
import { traceOf } from './crossing.ts';
import { ActivityFlow } from './flow.ts';
import type { TraceHeaders } from './trace-context.ts';
import { ActivityTracker } from './tracker.ts';

export interface SharedActivities {
  readonly flow: ActivityFlow;
  readonly tracker: ActivityTracker;
}

/** Raised when the shape of what is shared changes. */
const KEY = Symbol.for('tracewright.activities.v3');

export function sharedActivities(): SharedActivities {
  const shared = globalThis as { [KEY]?: SharedActivities };
  if (shared[KEY] === undefined) {
    // The main thread's id is 0; paths count from 1, as AppDomain ids do.
    shared[KEY] = { flow: new ActivityFlow(), tracker: new ActivityTracker(threadId + 1, process.pid) };
  }
  return shared[KEY];
}

/**
 * The id of the activity that the running code belongs to, as GUID text in lower case; undefined outside of
 * any, and while nobody listens.
 */
export function currentActivityId(): string | undefined {
  const { flow, tracker } = sharedActivities();
  return tracker.currentActivityId(flow.context)?.toString();
}

/**
 * What a message to another process is to have with it, so that what it causes there belongs to this code: the
 * `traceparent`, and the `tracestate` if there is one, of the innermost activity around it that crosses processes.
 * Empty outside of any, and while nobody listens.
 */
export function traceHeaders(): TraceHeaders {
  return traceOf(sharedActivities().flow.context)?.headers ?? {};
}
