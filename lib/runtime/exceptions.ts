/** Uncaught exceptions and the process's warnings. Observing them does not affect their course. */

import { thrownFields } from '../base/thrown-fields.ts';
import type { RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

export function uncaughtExceptions(events: RuntimeEvents): Observation {
  const write = (error: unknown, origin: string) =>
    events.UncaughtException({ origin, ...thrownFields(error) });
  return {
    isWanted: () => events.UncaughtException.enabled,
    start: () => observeUncaughtExceptions(write),
  };
}

/** Calls the function for each from now on. @returns ends it */
export function observeUncaughtExceptions(onException: (error: unknown, origin: string) => void): () => void {
  // This one only observes: a listener for `uncaughtException` or `unhandledRejection` would keep the process alive.
  process.on('uncaughtExceptionMonitor', onException);
  return () => process.off('uncaughtExceptionMonitor', onException);
}

export function warnings(events: RuntimeEvents): Observation {
  const write = (warning: unknown) => events.ProcessWarning(thrownFields(warning));
  return {
    isWanted: () => events.ProcessWarning.enabled,
    start: () => {
      process.on('warning', write);
      return () => process.off('warning', write);
    },
  };
}
