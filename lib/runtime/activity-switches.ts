/** Activity switches as events, for those who ask for their keyword. */
import { sharedActivities } from '../activity/shared.ts';
import { ACTIVITY_SWITCH, ActivitySwitches } from '../activity/switches.ts';
import { passes } from '../listen/filter.ts';
import { subscriptionsOf } from '../listen/subscriptions.ts';
import { TRACER_BIT } from '../platform/tracer.ts';
import { writerOf } from '../source/event-functions.ts';
import type { RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

const { keyword: keywords, level } = ACTIVITY_SWITCH;

export function activitySwitches(events: RuntimeEvents): Observation {
  const writer = writerOf(events.ActivitySwitch);
  return {
    isWanted: () => ((writer.words[writer.index] as number) & TRACER_BIT) !== 0 || isAskedFor(events),
    start: () => {
      const shared = sharedActivities();
      const switches = new ActivitySwitches(shared, (id, startedAgoMSec) =>
        writer.write({ startedAgoMSec }, id, undefined, undefined),
      );
      return switches.observe();
    },
  };
}

/** Listeners that do not name keywords get the events, but do not cause them. */
function isAskedFor(events: RuntimeEvents): boolean {
  for (const request of subscriptionsOf(events).requests.values()) {
    if ((request.keywords ?? 0n) !== 0n && passes({ level, keywords }, request)) return true;
  }
  return false;
}
