/** The kinds of events of one thread in a session: how their payloads are encoded, and their numbers. */

import { failureTest, isClientTask } from '../known/failures.ts';
import type { Listenable } from '../listen/written-event.ts';
import { LAST_EVENT_ID, theEventIds } from '../platform/event-ids.ts';
import { amidEncoding, encodeFields, isEncoding } from '../wire/event-encoder.ts';
import type { GuidWords } from '../wire/guid.ts';
import { compilePayloadWriter } from '../wire/payload-writer.ts';
import { providerKeys } from '../wire/provider-guid.ts';
import { type EventSchema, type FieldSchema, layoutText } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { type FieldsWriter, type Payload, takeFaults } from '../wire/values/faults.ts';
import { valueWriterOf } from './field-layouts.ts';

/** Returned in place of a size: the payload is too large or cannot be read. */
export const NOT_ENCODED = -1;

/** Encodes payloads of one kind of event for a nettrace. */
class PayloadEncoder {
  /** Contains the last encoded payload, until the next one is encoded. */
  bytes: Uint8Array = scratch;
  readonly #write: FieldsWriter;

  constructor(fields: readonly FieldSchema[]) {
    this.#write = compilePayloadWriter(fields, valueWriterOf);
  }

  /**
   * Values that do not fit their fields become the nearest ones that do: the source has already counted them.
   *
   * @returns the payload's size in bytes, or `NOT_ENCODED`
   */
  encode(payload: Payload): number {
    if (isEncoding()) return this.#encodeAmid(payload);
    const size = this.#encode(payload);
    // Reading the payload may have encoded an event of the same kind.
    this.bytes = scratch;
    return size;
  }

  #encodeAmid(payload: Payload): number {
    const bytes = amidEncoding(() => {
      const size = this.#encode(payload);
      return size === NOT_ENCODED ? undefined : Uint8Array.prototype.slice.call(scratch, 0, size);
    });
    this.bytes = bytes ?? scratch;
    return bytes?.length ?? NOT_ENCODED;
  }

  #encode(payload: Payload): number {
    try {
      const size = encodeFields(this.#write, payload);
      return takeFaults()?.tooLarge ? NOT_ENCODED : size;
    } catch {
      // A getter or a proxy threw.
      takeFaults();
      return NOT_ENCODED;
    }
  }
}

/** A trace's description of a kind. */
export interface KindDescription {
  /** The provider. */
  readonly source: Pick<Listenable, 'name' | 'guid'>;
  readonly schema: EventSchema;
}

/**
 * Called for each event that a group takes: of its own thread during the event, of worker threads later. Must not throw.
 *
 * @param hasFailed whether the event is the Stop of a failed activity
 */
export type EventWatch = (
  schema: EventSchema,
  hasFailed: boolean,
  activityId: GuidWords | undefined,
  time: bigint,
) => void;

const STOP = 2;

export class EventKind extends PayloadEncoder implements KindDescription {
  readonly source: Listenable;
  readonly schema: EventSchema;
  readonly #saysFailure: ((payload: Payload) => boolean) | undefined;
  /** The number by which the thread's events refer to the kind; 0 if it has not been described. */
  number = 0;

  constructor(source: Listenable, schema: EventSchema) {
    super(schema.fields);
    this.source = source;
    this.schema = schema;
    const { opcode, name, fields } = schema;
    this.#saysFailure =
      opcode === STOP
        ? failureTest(
            fields.map((field) => field.name),
            isClientTask(source.name, name.slice(0, -'Stop'.length)),
          )
        : undefined;
  }

  /** Whether the event ends a failed activity. The payload belongs to the application: reading it may do anything. */
  hasFailed(payload: Payload): boolean {
    try {
      return this.#saysFailure?.(payload) === true;
    } catch {
      return false;
    }
  }
}

export class EventKinds {
  /** Weak, because sources discard the schemas of self-describing events and recreate them. */
  readonly #bySchema = new WeakMap<EventSchema, EventKind>();

  of(source: Listenable, schema: EventSchema): EventKind {
    let kind = this.#bySchema.get(schema);
    if (kind === undefined) {
      kind = new EventKind(source, schema);
      this.#bySchema.set(schema, kind);
    }
    return kind;
  }
}

/** Identifies the event across threads. */
export function kindText(source: Pick<Listenable, 'name' | 'guid'>, schema: EventSchema): string {
  return JSON.stringify([source.name, source.guid, { ...schema, keywords: String(schema.keywords) }]);
}

/** The ids of a session's kinds of events, in use as long as the session writes: one layout per id. */
export class KindIds {
  readonly #ids = theEventIds();
  /** The key is made of the provider's keys and the id. */
  readonly #used = new Map<string, { readonly keys: readonly string[]; readonly id: number }>();
  /** Where the search for a self-describing event's id begins, by the provider's keys. */
  readonly #next = new Map<string, number>();

  /**
   * The event's own id; for a self-describing event, which has none, the highest free one. Also for an event whose id
   * has another layout by now: its source was closed before the event arrived, and the id was reused.
   *
   * @returns 0 if the provider has no id left
   */
  idOf({ source, schema }: KindDescription): number {
    const keys = providerKeys(source);
    const layout = layoutText(schema);
    if (schema.id !== 0 && this.#ids.claim(keys, layout, schema.id) === undefined) {
      return this.#use(keys, schema.id);
    }
    const provider = keys.join(' ');
    const next = this.#next.get(provider) ?? LAST_EVENT_ID;
    const id = this.#ids.take(keys, layout, next, next, true);
    if (id === 0) return 0;
    this.#next.set(provider, id - 1 || LAST_EVENT_ID);
    return this.#use(keys, id);
  }

  /** Releases the ids. */
  end(): void {
    for (const { keys, id } of this.#used.values()) this.#ids.release(keys, id);
    this.#used.clear();
  }

  /** Marks an id as used, once per kind. */
  #use(keys: readonly string[], id: number): number {
    const key = `${keys.join(' ')} ${id}`;
    if (this.#used.has(key)) this.#ids.release(keys, id);
    else this.#used.set(key, { keys, id });
    return id;
  }
}
