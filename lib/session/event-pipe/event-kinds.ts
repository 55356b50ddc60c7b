/** The kinds of events in a session: how each is described, once, and how its payloads are encoded. */
import { amidEncoding, EventEncoder, isEncoding } from '../../wire/event-encoder.ts';
import type { NetTraceWriter } from '../../wire/nettrace/write/nettrace-writer.ts';
import { compilePayloadWriter } from '../../wire/payload-writer.ts';
import type { EventSchema } from '../../wire/schema.ts';
import { scratch } from '../../wire/scratch.ts';
import { type Payload, takeFaults } from '../../wire/values/faults.ts';
import type { Listenable } from '../subscriptions.ts';
import { netTraceFields, valueWriterOf } from './field-layouts.ts';
import { kindText } from './kind-text.ts';

/** Kinds that are known by what they are; of more, those that come again are described again. */
const MAX_KINDS = 4096;
/** Self-describing events get ids from here down: readers tell a provider's events apart by them. */
const FIRST_OWN_ID = 0xfffd;

const NOTHING = new Uint8Array(0);
const NO_PREFIXES = { plain: NOTHING, withActivity: NOTHING, withRelated: NOTHING };

export class EventKind {
  readonly #source: Listenable;
  readonly #schema: EventSchema;
  readonly #eventId: number;
  readonly #encoder: EventEncoder;
  /** 0: not described yet. */
  #metadataId = 0;

  constructor(source: Listenable, schema: EventSchema, eventId: number) {
    this.#source = source;
    this.#schema = schema;
    this.#eventId = eventId;
    this.#encoder = new EventEncoder(
      NO_PREFIXES,
      () => {},
      compilePayloadWriter(schema.fields, valueWriterOf),
    );
  }

  get isDescribed(): boolean {
    return this.#metadataId > 0;
  }

  /** What events of the kind refer to; described when it is asked for first. */
  metadataIdIn(writer: NetTraceWriter): number {
    if (this.#metadataId > 0) return this.#metadataId;
    const { name, keywords, version, level, opcode, fields, message } = this.#schema;
    this.#metadataId = writer.define({
      provider: this.#source.name,
      providerGuid: this.#source.guid,
      eventId: this.#eventId,
      name,
      keywords,
      version,
      level,
      opcode,
      fields: netTraceFields(fields),
      messageTemplate: message,
    });
    return this.#metadataId;
  }

  /**
   * The payload's bytes, in memory that the next event reuses; undefined where it is too large or cannot be read.
   * A value that does not fit its field is the nearest that does: who wrote the event has counted it.
   */
  encode(payload: Payload): Uint8Array | undefined {
    return isEncoding() ? amidEncoding(() => this.#encode(payload)?.slice()) : this.#encode(payload);
  }

  #encode(payload: Payload): Uint8Array | undefined {
    try {
      const size = this.#encoder.encode(payload, undefined, undefined);
      return takeFaults()?.tooLarge ? undefined : new Uint8Array(scratch.buffer, scratch.byteOffset, size);
    } catch {
      // A getter or a proxy that throws.
      takeFaults();
      return undefined;
    }
  }
}

export class EventKinds {
  /** Weak, because sources forget schemas of self-describing events and make them anew. */
  readonly #bySchema = new WeakMap<EventSchema, EventKind>();
  readonly #byText = new Map<string, EventKind>();
  readonly #lastIds = new Map<string, number>();

  of(source: Listenable, schema: EventSchema): EventKind {
    const known = this.#bySchema.get(schema);
    if (known !== undefined) return known;
    const kind = this.#find(source, schema);
    this.#bySchema.set(schema, kind);
    return kind;
  }

  #find(source: Listenable, schema: EventSchema): EventKind {
    if (schema.id !== 0) return new EventKind(source, schema, schema.id);
    const text = kindText(source, schema);
    let kind = this.#byText.get(text);
    if (kind === undefined) {
      kind = new EventKind(source, schema, this.#nextOwnId(source.name));
      if (this.#byText.size === MAX_KINDS) this.#byText.clear();
      this.#byText.set(text, kind);
    }
    return kind;
  }

  #nextOwnId(provider: string): number {
    const last = this.#lastIds.get(provider) ?? FIRST_OWN_ID + 1;
    const id = last > 1 ? last - 1 : FIRST_OWN_ID;
    this.#lastIds.set(provider, id);
    return id;
  }
}
