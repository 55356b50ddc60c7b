/** Activity switches as events, for those who ask for their keyword. */
import { sharedActivities } from '../activity/shared.ts';
import { ACTIVITY_SWITCH, ActivitySwitches } from '../activity/switches.ts';
import { writerOf } from '../source/event-functions.ts';
import type { RuntimeEvents } from './events.ts';
import { isAskedFor, type Observation } from './observation.ts';

const { keyword: keywords, level } = ACTIVITY_SWITCH;

export function activitySwitches(events: RuntimeEvents): Observation {
  const writer = writerOf(events.ActivitySwitch);
  return {
    isWanted: () => isAskedFor(events, writer, { level, keywords }),
    start: () => {
      const shared = sharedActivities();
      const switches = new ActivitySwitches(shared, (id, startedAgoMSec) =>
        writer.write({ startedAgoMSec }, id, undefined, undefined),
      );
      return switches.observe();
    },
  };
}
