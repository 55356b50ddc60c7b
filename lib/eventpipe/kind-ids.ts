/** The ids that a session's kinds of events have, in use for as long as the session writes: one id, one layout. */
import { LAST_EVENT_ID, theEventIds } from '../platform/event-ids.ts';
import { providerKeys } from '../wire/provider-guid.ts';
import { layoutText } from '../wire/schema.ts';
import type { KindDescription } from './event-kinds.ts';

export class KindIds {
  readonly #ids = theEventIds();
  /** By the provider's keys and the id. */
  readonly #used = new Map<string, { readonly keys: readonly string[]; readonly id: number }>();
  /** Where the search for the next id of a self-describing event begins, by the provider's keys. */
  readonly #next = new Map<string, number>();

  /**
   * The event's own id; for a self-describing event, which has none, one from the top down. Also for an event whose
   * id has another layout by now: its source was closed before the event got here, and the id was used again.
   *
   * @returns 0 when the provider has no id left
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

  /** The ids may be used again. */
  end(): void {
    for (const { keys, id } of this.#used.values()) this.#ids.release(keys, id);
    this.#used.clear();
  }

  /** Once is enough, however often the kind is described. */
  #use(keys: readonly string[], id: number): number {
    const key = `${keys.join(' ')} ${id}`;
    if (this.#used.has(key)) this.#ids.release(keys, id);
    else this.#used.set(key, { keys, id });
    return id;
  }
}
