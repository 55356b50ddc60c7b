/** An event as it was written, for applications that listen. */
import type { Guid } from '../activity/guid.ts';
import { shown } from '../base/value-text.ts';
import { namesText } from '../wire/field-map.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { osThreadId } from './os-thread-id.ts';

/** The key under which an event source has its subscriptions. */
export const LISTENABLE: unique symbol = Symbol.for('tracewright.listenable.v2');

/**
 * An event source, as its listeners see it.
 *
 * @typeParam Written the events that it writes; only a type, without a value
 */
export interface Listenable<Written extends WrittenEvent = WrittenEvent> {
  /** The provider's name. */
  readonly name: string;
  /** The provider's identity in ETW; GUID text in lower case. */
  readonly guid: string;
  readonly [LISTENABLE]: { readonly written?: Written };
}

/** The events that a source writes, distinguished by `name`: `EventOf<typeof log>`. */
export type EventOf<Source extends Listenable> = Source extends Listenable<infer Written> ? Written : never;

/**
 * One event as it was written: .NET's EventWrittenEventArgs. Rarely used properties are getters, so that a printed
 * event stays short.
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
  /** 1 to 65535; 0 for an event written with `write` (-1 in .NET). */
  readonly id: number;
  /** The activity it belongs to, as GUID text in lower case. */
  readonly activityId: string | undefined;
  /** The activity in which a Start started its own. */
  readonly relatedActivityId: string | undefined;
  /** The object that was passed when writing the event: it is the writer's, and all listeners', so do not change it. */
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

  /** The names of the fields, in order. */
  get payloadNames(): readonly string[] {
    return this.#schema.fields.map(({ name }) => name);
  }

  /**
   * The names of a field's number, if it is one of a map: `Busy`, `Read|Delete`. Undefined for a number without a name,
   * and for other fields.
   */
  fieldText(field: string): string | undefined {
    const schema = this.#schema.fields.find(({ name }) => name === field);
    if (schema === undefined || schema.type === 'struct' || schema.map === undefined) return undefined;
    const map = { kind: schema.map.kind, names: new Map(schema.map.names) };
    const value = (this.payload as Payload)[field];
    if (!schema.array) return namesText(map, value);
    const texts = Array.from(value as ArrayLike<unknown>, (item) => namesText(map, item) ?? shown(item));
    return `[${texts.join(', ')}]`;
  }

  /** 0 to 255. */
  get version(): number {
    return this.#schema.version;
  }

  /** Shared by a Start and its Stop, 1 to 65535; 0 for an event written with `write`. */
  get task(): number {
    return this.#schema.task;
  }

  /** 0 to 65535. */
  get tag(): number {
    return this.#schema.tag;
  }

  /** The number of a channel of the Windows Event Log, see `Channel`; 0 for none. */
  get channel(): number {
    return this.#schema.channel ?? 0;
  }

  /** The message in the event's definition, with `{0}` for the first field's value. */
  get message(): string | undefined {
    return this.#schema.message;
  }

  /** The operating system's id of the thread, if known: on Linux. */
  get osThreadId(): number | undefined {
    return osThreadId();
  }
}
