/** An event as it was written, for applications that listen. */
import type { Guid } from '../activity/guid.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { osThreadId } from './os-thread-id.ts';

/** Under this key an event source has its subscriptions. */
export const LISTENABLE: unique symbol = Symbol.for('tracewright.listenable.v2');

/**
 * An event source, as those who listen see it.
 *
 * @typeParam Written the events that it writes; only a type, no value
 */
export interface Listenable<Written extends WrittenEvent = WrittenEvent> {
  /** The provider's name. */
  readonly name: string;
  /** What ETW knows the provider by; GUID text in lower case. */
  readonly guid: string;
  readonly [LISTENABLE]: { readonly written?: Written };
}

/** The events that a source writes, told apart by their `name`: `EventOf<typeof log>`. */
export type EventOf<Source extends Listenable> = Source extends Listenable<infer Written> ? Written : never;

/**
 * One event as it was written: .NET's EventWrittenEventArgs. What is rarely asked for is read through getters,
 * so that an event that is printed stays short.
 */
export class WrittenEvent<Name extends string = string, Fields = Readonly<Record<string, unknown>>> {
  readonly provider: string;
  readonly name: Name;
  /** 1 to 255; see `Level`. */
  readonly level: number;
  /** 64 bits. */
  readonly keywords: bigint;
  /** 0 to 255; see `Opcode`. */
  readonly opcode: number;
  /** 1 to 65535; 0 for an event that `write` described (.NET has -1 there). */
  readonly id: number;
  /** The activity it belongs to, as GUID text in lower case. */
  readonly activityId: string | undefined;
  /** For a start: the activity that it was started in. */
  readonly relatedActivityId: string | undefined;
  /** The very object that the event was written with. */
  readonly payload: Fields;
  /** Nanoseconds since 1970. */
  readonly timestamp: bigint;
  readonly #source: Listenable;
  readonly #schema: EventSchema;

  /** @internal */
  constructor(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    timestamp: bigint,
  ) {
    this.provider = source.name;
    this.name = schema.name as Name;
    this.level = schema.level;
    this.keywords = schema.keywords;
    this.opcode = schema.opcode;
    this.id = schema.id;
    this.activityId = activityId?.toString();
    this.relatedActivityId = relatedActivityId?.toString();
    this.payload = payload as Fields;
    this.timestamp = timestamp;
    this.#source = source;
    this.#schema = schema;
  }

  /** The event source that wrote it. */
  get source(): Listenable {
    return this.#source;
  }

  /** The names of the fields, in their order. */
  get payloadNames(): readonly string[] {
    return this.#schema.fields.map(({ name }) => name);
  }

  /** 0 to 255. */
  get version(): number {
    return this.#schema.version;
  }

  /** What a Start and its Stop have in common, 1 to 65535; 0 for an event that `write` described. */
  get task(): number {
    return this.#schema.task;
  }

  /** 0 to 65535. */
  get tag(): number {
    return this.#schema.tag;
  }

  /** 0, none: events of a source go to no channel of the Windows Event Log. */
  get channel(): number {
    return 0;
  }

  /** What the event's definition says in words, with `{0}` where the first field's value belongs. */
  get message(): string | undefined {
    return this.#schema.message;
  }

  /** The operating system's number of the thread, where it is known: on Linux. */
  get osThreadId(): number | undefined {
    return osThreadId();
  }
}
