/** Filters for events: .NET's rule for levels and keywords, in which 0 requests everything. */
import type { EventFilter } from '../wire/diagnostics-ipc/tracing.ts';

/** The events that a listener wants. */
export interface ListenerFilter {
  /** This level and the more severe ones (lower numbers); 0 or absent for all. */
  readonly level?: number;
  /** Events with any of these keywords, and events without keywords; 0n or absent for all. */
  readonly keywords?: bigint;
}

/** The events that anyone inside the process wants; sessions have options that listeners lack. */
export interface Filter extends ListenerFilter {
  /** Selects only events without keywords: a session requests this with keywords of 0. */
  readonly onlyWithoutKeywords?: boolean;
}

/** The properties of an event that a filter examines. */
export interface Filtered {
  readonly level: number;
  readonly keywords: bigint;
}

export function passes(event: Filtered, filter: Filter): boolean {
  const { level = 0, keywords = 0n, onlyWithoutKeywords = false } = filter;
  return (
    (level === 0 || event.level <= level) &&
    ((keywords === 0n && !onlyWithoutKeywords) || event.keywords === 0n || (event.keywords & keywords) !== 0n)
  );
}

/**
 * @throws RangeError for an invalid level or keywords: a mistake in the code that listens, which does not depend on the
 * events
 */
export function checkFilter({ level = 0, keywords = 0n }: ListenerFilter): void {
  if (!Number.isInteger(level) || level < 0 || level > 255) {
    throw new RangeError(`A listener's level must be an integer from 0 to 255, not ${String(level)}.`);
  }
  if (typeof keywords !== 'bigint' || BigInt.asUintN(64, keywords) !== keywords) {
    throw new RangeError(
      `A listener's keywords must be a bigint of 64 bits (0x2n), not ${String(keywords)}.`,
    );
  }
}

/**
 * Whether a session takes events with this id, checked after level and keywords.
 *
 * @param filter if absent, all events pass
 */
export function passesEventFilter(filter: EventFilter | undefined, eventId: number): boolean {
  return filter === undefined || filter.ids.includes(eventId) === filter.isAllowList;
}

/** Prepares one filter for many events: a linear search through thousands of ids each time would be too slow. */
export function eventIdTest({ isAllowList, ids }: EventFilter): (eventId: number) => boolean {
  const known = new Set(ids);
  return (eventId) => known.has(eventId) === isAllowList;
}
