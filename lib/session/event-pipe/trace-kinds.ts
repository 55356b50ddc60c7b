/** The kinds of events in a trace: each is described once, whichever thread has it. */
import type { NetTraceWriter } from '../../wire/nettrace/write/nettrace-writer.ts';
import type { KindDescription } from './event-kinds.ts';
import { netTraceFields } from './field-layouts.ts';
import { kindText } from './kind-text.ts';

/** Kinds that are known by what they are; of more, those that come again are described again. */
export const MAX_KINDS = 4096;
/** Self-describing events get ids from here down: readers tell a provider's events apart by them. */
const FIRST_OWN_ID = 0xfffd;

export class TraceKinds {
  readonly #writer: NetTraceWriter;
  readonly #metadataIds = new Map<string, number>();
  readonly #lastOwnIds = new Map<string, number>();
  /** How many have been described. */
  count = 0;

  constructor(writer: NetTraceWriter) {
    this.#writer = writer;
  }

  /** What events of the kind refer to; described when it is asked for first. */
  metadataIdOf(kind: KindDescription): number {
    const text = kindText(kind.source, kind.schema);
    let id = this.#metadataIds.get(text);
    if (id === undefined) {
      id = this.#describe(kind);
      if (this.#metadataIds.size === MAX_KINDS) this.#metadataIds.clear();
      this.#metadataIds.set(text, id);
    }
    return id;
  }

  #describe({ source, schema }: KindDescription): number {
    this.count++;
    const { name, keywords, version, level, opcode, fields, message } = schema;
    return this.#writer.define({
      provider: source.name,
      providerGuid: source.guid,
      eventId: schema.id === 0 ? this.#nextOwnId(source.name) : schema.id,
      name,
      keywords,
      version,
      level,
      opcode,
      fields: netTraceFields(fields),
      messageTemplate: message,
    });
  }

  #nextOwnId(provider: string): number {
    const last = this.#lastOwnIds.get(provider) ?? FIRST_OWN_ID + 1;
    const id = last > 1 ? last - 1 : FIRST_OWN_ID;
    this.#lastOwnIds.set(provider, id);
    return id;
  }
}
