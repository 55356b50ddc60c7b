/** The definition of one event. */
import type { FieldDefinitions } from './fields.ts';

/** @typeParam Keyword names of keywords that the options use */
export interface EventOptions<Keyword extends string = string> {
  /** 1 to 255, see `Level`; the default is Informational. */
  readonly level?: number;
  /** The categories of the event, as bits 0 to 47, or as names from the source's `keywords`. The default is none. */
  readonly keywords?: bigint | Keyword | readonly Keyword[];
  /** 0 to 255, see `Opcode`. By default, Start and Stop follow from the ending of the event's name; otherwise Info. */
  readonly opcode?: number;
  /** Shared by a Start and its Stop, 1 to 65534. The default is 65534 minus the id; a Stop has its Start's. */
  readonly task?: number;
  /** Free for the application, 28 bits as in .NET; user_events have room for the lower 16. */
  readonly tag?: number;
  /** The tags of fields, by name. */
  readonly fieldTags?: Readonly<Record<string, number>>;
  /** 1 to 65535, unique in the source. The default is one more than the previous event's, from 1. */
  readonly id?: number;
  /** 0 to 255; raise it when you add fields. */
  readonly version?: number;
  /**
   * The channel of the Windows Event Log to which the event goes, see `Channel`; for sources with
   * `etwFormat: 'manifest'`. An event of the channel Admin needs a message and a level up to Informational.
   */
  readonly channel?: number;
  /** A message with `{0}` for the first field's value: for tools that read manifests, and for listeners. */
  readonly message?: string;
  /** How a Start's activity behaves, as flags of `ActivityOptions`. Start and Stop both take Disable. */
  readonly activityOptions?: number;
  /**
   * Says that a Start's activity crosses process boundaries, like an incoming request or an outgoing message. The event
   * gets the fields `traceId`, `spanId` and `parentSpanId` after its own, which tracewright fills in by W3C Trace
   * Context.
   */
  readonly traceContext?: boolean;
}

/** An event of a source that is yet to be defined; created by `event`. */
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
 * @param fields the name and type of each field, in payload order; see `FieldDefinition`
 */
export function event<const Fields extends FieldDefinitions, const Keyword extends string = never>(
  fields: Fields,
  options?: EventOptions<Keyword>,
): EventDefinition<Fields, Keyword>;
// A separate overload, or an `event()` inside `defineEventSource` would be inferred to have arbitrary fields.
export function event(): EventDefinition<Record<never, never>, never>;
export function event(
  fields: FieldDefinitions = {},
  options: EventOptions = {},
): EventDefinition<FieldDefinitions> {
  return { fields, options };
}
