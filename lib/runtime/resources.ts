/** What keeps the event loop alive, counted by type once a second. */
import type { RuntimeEvents } from './events.ts';
import { everySecond } from './every-second.ts';
import type { Observation } from './observation.ts';

export function resources(events: RuntimeEvents): Observation {
  const sample = () => events.ActiveResources(activeResources);
  return {
    isWanted: () => events.ActiveResources.enabled,
    start: () => {
      sample();
      return everySecond(sample);
    },
  };
}

function activeResources() {
  const all = process.getActiveResourcesInfo();
  const counts = new Map<string, number>();
  for (const type of all) counts.set(type, (counts.get(type) ?? 0) + 1);
  return { count: all.length, types: Array.from(counts, ([type, count]) => ({ type, count })) };
}
