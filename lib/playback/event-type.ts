/** What can be requested from a playback: types of events, given in one of four ways. */
import { inspect } from 'node:util';
import { Guid } from '../activity/guid.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { tracepointProviderName } from '../wire/eventheader/tracepoint-name.ts';
import { PlaybackError } from './playback-error.ts';
import type { ReadPayload } from './read-payload.ts';

/** A class: its instances and those of its subclasses. */
export type EventClass<Event extends object = object> = abstract new (...args: never[]) => Event;

/** One event of a provider, which is given by name or GUID. Without a version: every version. */
export type EventKey =
  | { readonly provider: string; readonly id: number; readonly version?: number }
  | { readonly provider: string; readonly name: string };

/**
 * What identifies an event in every trace. An event source's functions have one (`log.RequestStart`), so they can be
 * requested.
 *
 * @typeParam Payload as it is written; only a type, without a value
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

/** Events by a condition. A function, not a class: it is called for every event. */
export type EventPredicate<Event> = (event: Event) => boolean;

/** Everything that can be requested, except predicates. */
export type NamedType = EventClass | EventKey | IdentifiedEvent;
export type EventType = NamedType | EventPredicate<never>;

/** What every event has that an event source wrote, whether read from a trace or received in the process. */
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

/** An event of an event source: a `TraceEvent`, or a `WrittenEvent`, which has only some of its properties. */
export type PlayedEvent<Payload = TraceEvent['payload']> = Pick<TraceEvent, HeardProperty> &
  Partial<Omit<TraceEvent, HeardProperty | 'payload'>> & { readonly payload: Payload };

/** The type of the events selected by a requested type. */
export type OccurrenceOf<Type> =
  Type extends IdentifiedEvent<infer Payload>
    ? PlayedEvent<ReadPayload<Payload>>
    : Type extends EventClass<infer Event>
      ? Event
      : PlayedEvent;

/** Describes everything except classes and predicates. */
export interface EventPattern {
  /** Either may be absent, but not both. */
  readonly name: string | undefined;
  readonly id: number | undefined;
  readonly version: number | undefined;
  /** Includes the GUID in lower case, if known. */
  readonly providers: readonly string[];
  /** The provider name of events on Linux: see `tracepointProviderName`. */
  readonly tracepointProvider: string;
}

/** Classes differ from other functions by their `prototype`, which is read-only. */
export function isEventClass(type: unknown): type is EventClass {
  return typeof type === 'function' && Object.getOwnPropertyDescriptor(type, 'prototype')?.writable === false;
}

/** A function that is neither a class nor an event source's. */
export function isPredicate(type: EventType): type is EventPredicate<never> {
  return typeof type === 'function' && !isEventClass(type) && !('identity' in type);
}

/** @returns undefined unless the type is an event by name or number */
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
    `${inspect(type, { depth: 1 })} is not a type of events: pass an event of an event source, a class, { provider, id, version? } or { provider, name }.`,
  );
}
