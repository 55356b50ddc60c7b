/** Which events somebody wants: .NET's rule for levels and keywords, in which 0 asks for everything. */
import type { EventFilter } from '../wire/diagnostics-ipc/tracing.ts';

/** Which events a listener wants. */
export interface ListenerFilter {
  /** This level and the more severe ones (lower numbers); 0 or absent: all. */
  readonly level?: number;
  /** Events with any of these keywords, and events without any; 0n or absent: all. */
  readonly keywords?: bigint;
}

/** Which events anybody wants inside the process; sessions can say what listeners cannot. */
export interface Filter extends ListenerFilter {
  /** Only events without keywords: what a session asks for by keywords of 0. */
  readonly onlyWithoutKeywords?: boolean;
}

/** What of an event a filter looks at. */
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
 * @throws RangeError for a level or keywords that no event could be compared with: a mistake in the code that
 *   listens, and nothing that comes up while it runs
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
 * Whether a session takes events of this id, as asked after level and keywords.
 *
 * @param filter absent: all events pass
 */
export function passesEventFilter(filter: EventFilter | undefined, eventId: number): boolean {
  return filter === undefined || filter.ids.includes(eventId) === filter.isAllowList;
}

/** The same for one filter and many events: the ids may be thousands, which are not to be gone through each time. */
export function eventIdTest({ isAllowList, ids }: EventFilter): (eventId: number) => boolean {
  const known = new Set(ids);
  return (eventId) => known.has(eventId) === isAllowList;
}
