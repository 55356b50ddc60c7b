/** The kinds of events in a trace: each is described once, whichever thread writes it. */
import type { EventSink } from '../wire/nettrace/write/trace-parts.ts';
import type { KindDescription } from './event-kinds.ts';
import { KindIds, kindText } from './event-kinds.ts';
import { netTraceFields } from './field-layouts.ts';

/** The number of kinds looked up by content; beyond it, recurring kinds are described again. */
export const MAX_KINDS = 4096;

export class TraceKinds {
  readonly #writer: EventSink;
  readonly #metadataIds = new Map<string, number>();
  readonly #eventIds = new KindIds();
  /** The number of kinds described. */
  count = 0;

  constructor(writer: EventSink) {
    this.#writer = writer;
  }

  /**
   * The id by which events refer to the kind, which is described on first use.
   *
   * @returns 0 if the provider has so many kinds that no id is left
   */
  metadataIdOf(kind: KindDescription): number {
    const text = kindText(kind.source, kind.schema);
    let id = this.#metadataIds.get(text);
    if (id === undefined) {
      id = this.#describe(kind);
      if (id === 0) return 0;
      if (this.#metadataIds.size === MAX_KINDS) this.#metadataIds.clear();
      this.#metadataIds.set(text, id);
    }
    return id;
  }

  /** Describes no more kinds, and releases the ids. */
  end(): void {
    this.#eventIds.end();
  }

  #describe(kind: KindDescription): number {
    const eventId = this.#eventIds.idOf(kind);
    if (eventId === 0) return 0;
    this.count++;
    const { source, schema } = kind;
    const { name, keywords, version, level, opcode, fields, message } = schema;
    return this.#writer.define({
      provider: source.name,
      providerGuid: source.guid,
      eventId,
      name,
      keywords,
      version,
      level,
      opcode,
      fields: netTraceFields(fields),
      messageTemplate: message,
    });
  }
}
