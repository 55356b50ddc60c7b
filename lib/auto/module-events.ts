/** The event source `Node.Module`: modules that this thread loads, each in the one that loads it. */
import { ActivityOptions } from '../activity/activity.ts';
import { FAILURE } from '../base/thrown-fields.ts';
import { Level } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/**
 * Event ids follow from the order: add new events at the end. A start loads hundreds of modules, so the level is Verbose.
 */
export function defineModuleEvents() {
  return defineEventSource('Node.Module', {
    LoadStart: event(
      { name: 'string', package: 'string', kind: 'string', parent: 'string' },
      { level: Level.Verbose, activityOptions: ActivityOptions.Recursive },
    ),
    LoadStop: event(FAILURE, { level: Level.Verbose }),
  });
}

export type ModuleEvents = ReturnType<typeof defineModuleEvents>;
