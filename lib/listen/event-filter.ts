/** Which events of a provider a session takes, by their ids: what is asked after level and keywords. */
import type { EventFilter } from '../wire/diagnostics-ipc/tracing.ts';

/** @param filter absent: all events pass */
export function passesEventFilter(filter: EventFilter | undefined, eventId: number): boolean {
  return filter === undefined || filter.ids.includes(eventId) === filter.isAllowList;
}

/** The same for one filter and many events: the ids may be thousands, which are not to be gone through each time. */
export function eventIdTest({ isAllowList, ids }: EventFilter): (eventId: number) => boolean {
  const known = new Set(ids);
  return (eventId) => known.has(eventId) === isAllowList;
}
