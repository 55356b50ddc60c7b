/**
 * What all copies of this package in one thread share, or their activity ids would not be unique: the
 * trackers with their counters, and the flow.
 */
import { threadId } from 'node:worker_threads';
import { ActivityFlow } from './flow.ts';
import { ActivityTracker } from './tracker.ts';

export interface SharedActivities {
  readonly flow: ActivityFlow;
  /** Ids whose checksum holds the process id, as .NET writes them today. */
  readonly tracker: ActivityTracker;
  /** Ids of the 2016 form, the same in every process. */
  readonly tracker2016: ActivityTracker;
}

/** Raised when the shape of what is shared changes. */
const KEY = Symbol.for('tracewright.activities.v1');

export function sharedActivities(): SharedActivities {
  const shared = globalThis as { [KEY]?: SharedActivities };
  if (shared[KEY] === undefined) {
    // The main thread's id is 0; paths count from 1, as AppDomain ids do.
    const threadNumber = threadId + 1;
    shared[KEY] = {
      flow: new ActivityFlow(),
      tracker: new ActivityTracker(threadNumber, process.pid),
      tracker2016: new ActivityTracker(threadNumber, 0),
    };
  }
  return shared[KEY];
}
