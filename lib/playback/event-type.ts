/** What a playback can be asked for: kinds of events, said in one of four ways. */
import { inspect } from 'node:util';
import { Guid } from '../activity/guid.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { tracepointProviderName } from '../wire/eventheader/tracepoint-name.ts';
import { PlaybackError } from './playback-error.ts';
import type { ReadPayload } from './read-payload.ts';

/** A class: its instances and those of the classes that extend it. */
export type EventClass<Event extends object = object> = abstract new (...args: never[]) => Event;

/** One event of a provider, given by name or GUID. Without a version: of every version. */
export type EventKey =
  | { readonly provider: string; readonly id: number; readonly version?: number }
  | { readonly provider: string; readonly name: string };

/**
 * What tells an event apart in every trace. An event source's functions have one (`log.RequestStart`), and so
 * can be asked for.
 *
 * @typeParam Payload as it is written; only a type, no value
 */
export interface EventIdentity<Payload = unknown> {
  readonly provider: string;
  readonly providerGuid: string;
  readonly name: string;
  readonly id: number;
  readonly payload?: Payload;
}

export interface IdentifiedEvent<Payload = unknown> {
  readonly identity: EventIdentity<Payload>;
}

/** Events by a condition. A function and not a class: it is called for each event that goes by. */
export type EventPredicate<Event> = (event: Event) => boolean;

/** What is asked for by name; all but predicates. */
export type NamedType = EventClass | EventKey | IdentifiedEvent;
export type EventType = NamedType | EventPredicate<never>;

/** What every event has that was written by an event source, read from a trace or heard in the process. */
type HeardProperty =
  | 'provider'
  | 'name'
  | 'id'
  | 'level'
  | 'opcode'
  | 'keywords'
  | 'timestamp'
  | 'activityId'
  | 'relatedActivityId';

/** An event of an event source: a `TraceEvent`, or a `WrittenEvent`, which has only a part of its properties. */
export type PlayedEvent<Payload = TraceEvent['payload']> = Pick<TraceEvent, HeardProperty> &
  Partial<Omit<TraceEvent, HeardProperty | 'payload'>> & { readonly payload: Payload };

/** What an asked type's events are. */
export type OccurrenceOf<Type> =
  Type extends IdentifiedEvent<infer Payload>
    ? PlayedEvent<ReadPayload<Payload>>
    : Type extends EventClass<infer Event>
      ? Event
      : PlayedEvent;

/** The same for all ways but classes and predicates. */
export interface EventPattern {
  /** Either may be absent, not both. */
  readonly name: string | undefined;
  readonly id: number | undefined;
  readonly version: number | undefined;
  /** A GUID in lower case is one of them where it is known. */
  readonly providers: readonly string[];
  /** What events of Linux have as their provider's name: see `tracepointProviderName`. */
  readonly tracepointProvider: string;
}

/** Classes are told from other functions by their `prototype`, which cannot be replaced. */
export function isEventClass(type: unknown): type is EventClass {
  return typeof type === 'function' && Object.getOwnPropertyDescriptor(type, 'prototype')?.writable === false;
}

/** A function that is neither a class nor an event source's. */
export function isPredicate(type: EventType): type is EventPredicate<never> {
  return typeof type === 'function' && !isEventClass(type) && !('identity' in type);
}

/** @returns undefined where the type is no event by name or number */
export function eventPatternOf(type: unknown): EventPattern | undefined {
  if ((typeof type !== 'object' && typeof type !== 'function') || type === null) return undefined;
  if ('identity' in type) {
    const { provider, providerGuid, name, id } = type.identity as EventIdentity;
    return {
      providers: [provider, providerGuid],
      tracepointProvider: tracepointProviderName(provider),
      name,
      id,
      version: undefined,
    };
  }
  if (typeof type === 'function') return undefined;
  const { provider, name, id, version } = type as Readonly<Record<string, unknown>>;
  const byName = typeof name === 'string' && id === undefined && version === undefined;
  const byId =
    isNumber(id, 0xffff) && (version === undefined || isNumber(version, 0xff)) && name === undefined;
  if (typeof provider !== 'string' || !(byName || byId)) return undefined;
  return {
    providers: [Guid.tryParse(provider.replace(/^\{(.*)\}$/, '$1'))?.toString() ?? provider],
    tracepointProvider: tracepointProviderName(provider),
    name: byName ? name : undefined,
    id: byId ? id : undefined,
    version: byId ? version : undefined,
  };
}

function isNumber(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

export function unknownType(type: unknown): PlaybackError {
  return new PlaybackError(
    `${inspect(type, { depth: 1 })} says no kind of events: give an event of an event source, a class, { provider, id, version? } or { provider, name }.`,
  );
}
