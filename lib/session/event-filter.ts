/** Which events of a provider a session takes, by their ids: what is asked after level and keywords. */
import type { EventFilter } from '../wire/diagnostics-ipc/tracing.ts';

/** @param filter absent: all events pass */
export function passesEventFilter(filter: EventFilter | undefined, eventId: number): boolean {
  return filter === undefined || filter.ids.includes(eventId) === filter.isAllowList;
}
