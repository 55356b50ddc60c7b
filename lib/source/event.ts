/** What an application says of one event. */
import type { FieldDefinitions } from './fields.ts';

/** @typeParam Keyword names of keywords that the options use */
export interface EventOptions<Keyword extends string = string> {
  /** 1 to 255, see `Level`; Informational unless given. */
  readonly level?: number;
  /**
   * Which kinds of event it is, as bits 0 to 47, or as names out of the source's `keywords`. None unless given.
   */
  readonly keywords?: bigint | Keyword | readonly Keyword[];
  /** 0 to 255, see `Opcode`. Unless given: Start and Stop by the end of the event's name, else Info. */
  readonly opcode?: number;
  /** What Start and Stop have in common, 1 to 65534. Unless given: 65534 less the id; a Stop has its Start's. */
  readonly task?: number;
  /** Free for the application, 0 to 65535. */
  readonly tag?: number;
  /** 1 to 65535, unique in the source. Unless given: one more than the event's before, from 1. */
  readonly id?: number;
  /** 0 to 255: to be raised when fields are added. */
  readonly version?: number;
  /**
   * The event in words, with `{0}` where the first field's value belongs: for tools that read manifests, and for
   * listeners.
   */
  readonly message?: string;
  /** For a Start: how its activity behaves, flags of `ActivityOptions`. For both: Disable. */
  readonly activityOptions?: number;
  /**
   * For a Start: its activity crosses from one process to another, as an incoming request or a message that is sent
   * does. The event gets the fields `traceId`, `spanId` and `parentSpanId` after its own, which tracewright fills by
   * W3C's Trace Context.
   */
  readonly traceContext?: boolean;
}

/** An event of a source that is yet to be defined; made by `event`. */
export interface EventDefinition<
  Fields extends FieldDefinitions = FieldDefinitions,
  Keyword extends string = string,
> {
  readonly fields: Fields;
  readonly options: EventOptions<Keyword>;
}

/**
 * Describes an event for `defineEventSource`.
 *
 * @param fields name and type of each field, in the order of the payload; see `FieldDefinition`
 */
export function event<const Fields extends FieldDefinitions, const Keyword extends string = never>(
  fields: Fields,
  options?: EventOptions<Keyword>,
): EventDefinition<Fields, Keyword>;
// Apart, or an `event()` inside `defineEventSource` would be inferred to have any fields.
export function event(): EventDefinition<Record<never, never>, never>;
export function event(
  fields: FieldDefinitions = {},
  options: EventOptions = {},
): EventDefinition<FieldDefinitions> {
  return { fields, options };
}
