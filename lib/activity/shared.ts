/**
 * What all copies of this package in one thread share, so that their activity ids are unique: the tracker with its
 * counters, and the flow.
 */
import { threadId } from 'node:worker_threads';
import { traceOf } from './crossing.ts';
import { ActivityFlow } from './flow.ts';
import type { Guid } from './guid.ts';
import type { TraceHeaders } from './trace-context.ts';
import { ActivityTracker } from './tracker.ts';

export interface SharedActivities {
  readonly flow: ActivityFlow;
  readonly tracker: ActivityTracker;
}

/** Incremented when the shape of the shared state changes. */
const KEY = Symbol.for('tracewright.activities.v5');

export function sharedActivities(): SharedActivities {
  const shared = globalThis as { [KEY]?: SharedActivities };
  if (shared[KEY] === undefined) {
    // The main thread's id is 0; paths count from 1, like AppDomain ids.
    shared[KEY] = { flow: new ActivityFlow(), tracker: new ActivityTracker(threadId + 1, process.pid) };
  }
  return shared[KEY];
}

/**
 * The id of the running code's activity as GUID text in lower case; undefined outside any activity, and while nothing
 * listens.
 */
export function currentActivityId(): string | undefined {
  return runningActivity(sharedActivities())?.toString();
}

/** Returns the id as it is kept: equal ids of one activity are one object. */
export function runningActivity({ flow, tracker }: SharedActivities): Guid | undefined {
  return tracker.currentActivityId(flow.context);
}

/**
 * What to send with a message to another process, so that what it causes there belongs to this code: the `traceparent`
 * and, if there is one, the `tracestate` of the innermost enclosing activity that crosses process boundaries. Empty
 * outside any, and while nothing listens.
 */
export function traceHeaders(): TraceHeaders {
  return traceOf(sharedActivities().flow.context)?.headers ?? {};
}
