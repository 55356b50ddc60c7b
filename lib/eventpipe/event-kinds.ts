/** The kinds of events that one thread has in a session: how their payloads are encoded, and their numbers. */

import type { Listenable } from '../listen/written-event.ts';
import type { EventSchema } from '../wire/schema.ts';
import { PayloadEncoder } from './payload-encoder.ts';

/** What a trace tells of a kind. */
export interface KindDescription {
  /** The provider. */
  readonly source: Pick<Listenable, 'name' | 'guid'>;
  readonly schema: EventSchema;
}

export class EventKind extends PayloadEncoder implements KindDescription {
  readonly source: Listenable;
  readonly schema: EventSchema;
  /** What the thread's events of the kind refer to it by; 0: it has not been described yet. */
  number = 0;

  constructor(source: Listenable, schema: EventSchema) {
    super(schema.fields);
    this.source = source;
    this.schema = schema;
  }
}

export class EventKinds {
  /** Weak, because sources forget schemas of self-describing events and make them anew. */
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
