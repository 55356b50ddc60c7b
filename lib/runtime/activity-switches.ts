/** Activity switches as events, for those who ask for their keyword. */
import { sharedActivities } from '../activity/shared.ts';
import { ACTIVITY_SWITCH, ActivitySwitches } from '../activity/switches.ts';
import { NOT_READ, type ThreadTimes, threadTimes } from '../platform/thread-times.ts';
import { writerOf } from '../source/event-functions.ts';
import type { RuntimeEvents } from './events.ts';
import { isAskedFor, type Observation } from './observation.ts';

/** Only a run that is longer has readings of the thread's times of its own: each is a system call. */
const READ_MS = 1;

const { keyword: keywords, level } = ACTIVITY_SWITCH;

export function activitySwitches(events: RuntimeEvents): Observation {
  const writer = writerOf(events.ActivitySwitch);
  return {
    isWanted: () => isAskedFor(events, writer, { level, keywords }),
    start: () => {
      const shared = sharedActivities();
      let readAt = Number.NEGATIVE_INFINITY;
      const times = (): ThreadTimes => {
        const now = performance.now();
        if (now - readAt < READ_MS) return NOT_READ;
        readAt = now;
        return threadTimes();
      };
      const switches = new ActivitySwitches(shared, (id, startedAgoMSec) =>
        writer.write({ startedAgoMSec, ...times() }, id, undefined, undefined),
      );
      return switches.observe();
    },
  };
}
