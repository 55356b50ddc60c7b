/** The event source `Node.Middleware`: the framework functions that handle a request. */

import { ActivityOptions } from '../activity/activity.ts';
import { FAILURE } from '../base/thrown-fields.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** Event ids follow from the order: add new events at the end. */
export function defineMiddlewareEvents() {
  return defineEventSource('Node.Middleware', {
    // A router is a handler that contains others.
    HandlerStart: event(
      { name: 'string', kind: 'string', route: 'string', framework: 'string' },
      { activityOptions: ActivityOptions.Recursive },
    ),
    HandlerStop: event(FAILURE),
  });
}

export type MiddlewareEvents = ReturnType<typeof defineMiddlewareEvents>;
