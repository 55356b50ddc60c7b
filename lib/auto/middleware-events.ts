/** The event source `Node.Middleware`: the functions of frameworks that a request goes through. */
import { ActivityOptions } from '../activity/activity.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** Events get their ids by their order: new ones go to the end. */
export function defineMiddlewareEvents() {
  return defineEventSource('Node.Middleware', {
    // A router is a handler, too, with others inside.
    HandlerStart: event(
      { name: 'string', kind: 'string', route: 'string', framework: 'string' },
      { activityOptions: ActivityOptions.Recursive },
    ),
    HandlerStop: event({ errorType: 'string', errorMessage: 'string' }),
  });
}

export type MiddlewareEvents = ReturnType<typeof defineMiddlewareEvents>;
