/** Filters for events: .NET's rule for levels and keywords, in which 0 requests everything. */
import { shown } from '../base/value-text.ts';
import type { EventFilter } from '../wire/diagnostics-ipc/tracing.ts';

/** Keywords as bits, or by the names that a source has for them. */
export type Keywords = bigint | string | readonly string[];

/** The bits of each name. */
export type KeywordNames = Readonly<Record<string, bigint>>;

/** The events that a listener wants. */
export interface ListenerFilter {
  /** This level and the more severe ones (lower numbers); 0 or absent for all. */
  readonly level?: number;
  /**
   * Events with any of these keywords, and events without keywords; 0n or absent for all. Names are those of the
   * source's `keywords`.
   */
  readonly keywords?: Keywords;
}

/** The events that anyone inside the process wants; sessions have options that listeners lack. */
export interface Filter extends Pick<ListenerFilter, 'level'> {
  readonly keywords?: bigint;
  /** Selects only events without keywords: a session requests this with keywords of 0. */
  readonly onlyWithoutKeywords?: boolean;
  /** If given, only these select events: each those of one request. */
  readonly either?: readonly Filter[] | undefined;
}

/** The properties of an event that a filter examines. */
export interface Filtered {
  readonly level: number;
  readonly keywords: bigint;
}

export function passes(event: Filtered, filter: Filter): boolean {
  if (filter.either !== undefined) return filter.either.some((each) => passes(event, each));
  const { level = 0, keywords = 0n, onlyWithoutKeywords = false } = filter;
  return (
    (level === 0 || event.level <= level) &&
    ((keywords === 0n && !onlyWithoutKeywords) || event.keywords === 0n || (event.keywords & keywords) !== 0n)
  );
}

/**
 * The bits of keywords, which may be names.
 *
 * @param refuse is told what is wrong, and throws the caller's error; where it returns, the keyword is left out
 */
export function keywordBits(given: Keywords, names: KeywordNames, refuse: (problem: string) => void): bigint {
  if (typeof given === 'bigint') return given;
  let bits = 0n;
  for (const name of (Array.isArray(given) ? given : [given]) as readonly unknown[]) {
    if (typeof name !== 'string') {
      refuse(`keywords must be a bigint (0x2n) or names, not ${shown(name)}.`);
    } else if (Object.hasOwn(names, name)) {
      bits |= names[name] as bigint;
    } else {
      const known = Object.keys(names).join(', ') || 'none';
      refuse(`the source does not define the keyword "${name}" (it has: ${known}).`);
    }
  }
  return bits;
}

/**
 * @throws RangeError for an invalid level or keywords: a mistake in the code that listens, which does not depend on the
 * events
 */
export function checkFilter({ level = 0, keywords = 0n }: Filter): void {
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
