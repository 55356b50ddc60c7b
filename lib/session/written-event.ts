/** An event as it was written, for applications that listen. */
import type { Guid } from '../activity/guid.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { osThreadId } from './os-thread-id.ts';
import type { Listenable } from './subscriptions.ts';

/**
 * One event as it was written: .NET's EventWrittenEventArgs. What is rarely asked for is read through getters,
 * so that an event that is printed stays short.
 */
export class WrittenEvent {
  readonly provider: string;
  readonly name: string;
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
  readonly payload: Readonly<Record<string, unknown>>;
  /** Nanoseconds since 1970. */
  readonly timestamp: bigint;
  readonly #source: Listenable;
  readonly #schema: EventSchema;

  constructor(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    timestamp: bigint,
  ) {
    this.provider = source.name;
    this.name = schema.name;
    this.level = schema.level;
    this.keywords = schema.keywords;
    this.opcode = schema.opcode;
    this.id = schema.id;
    this.activityId = activityId?.toString();
    this.relatedActivityId = relatedActivityId?.toString();
    this.payload = payload;
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
