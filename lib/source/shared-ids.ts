/**
 * The ids of a definition's events among all definitions of the provider, in all threads of the process: readers of
 * traces distinguish a provider's events by id.
 */
import { theEventIds } from '../platform/event-ids.ts';
import { providerKeys } from '../wire/provider-guid.ts';
import { type EventSchema, nameInLayout } from '../wire/schema.ts';
import { DefinitionError } from './definition-error.ts';
import type { EventDefinition } from './event.ts';
import { withIds } from './event-schemas.ts';
import type { Provider } from './source-context.ts';

export class SharedIds {
  readonly #provider: Provider;
  readonly #ids = theEventIds();
  readonly #keys: readonly string[];
  #used: number[] = [];
  readonly #changes: string[] = [];

  constructor(provider: Provider) {
    this.#provider = provider;
    this.#keys = providerKeys(provider);
  }

  /**
   * The events with their ids: the same as in another definition with the event, otherwise by position, unless another
   * event has that id.
   *
   * @param schemas as created by `eventSchemas`
   * @param layouts their `layoutText`
   * @throws DefinitionError if the definition explicitly gives an event an id that belongs to another event
   */
  take(
    schemas: readonly EventSchema[],
    events: Readonly<Record<string, EventDefinition>>,
    layouts: readonly string[],
  ): readonly EventSchema[] {
    try {
      const given = (schema: EventSchema): boolean => events[schema.name]?.options.id !== undefined;
      const layoutAt = (index: number): string => layouts[index] as string;
      // First, so that no other event of the definition gets one of them.
      for (const [i, schema] of schemas.entries()) if (given(schema)) this.#claim(schema, layoutAt(i));
      const next = Math.max(0, ...schemas.map(({ id }) => id)) + 1;
      const ids = schemas.map((schema, i) =>
        given(schema) ? schema.id : this.#takeFor(schema, layoutAt(i), next),
      );
      return withIds(this.#provider.name, schemas, events, ids);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Which events did not get the ids of their positions, as a sentence. */
  get problem(): string | undefined {
    const [first, ...others] = this.#changes;
    if (first === undefined) return undefined;
    const more = others.length === 0 ? '' : ` The same applies to ${others.length} more.`;
    return `${this.#provider.name}: ${first} in another definition of the provider in this process.${more}`;
  }

  /** Releases the ids for other events. */
  release(): void {
    for (const id of this.#used) this.#ids.release(this.#keys, id);
    this.#used = [];
  }

  #claim(schema: EventSchema, layout: string): void {
    const owner = this.#ids.claim(this.#keys, layout, schema.id);
    if (owner === undefined) {
      this.#used.push(schema.id);
      return;
    }
    const name = nameInLayout(owner);
    const other =
      name === schema.name
        ? `${name} as another definition in this process has it, with other fields or options`
        : `${name} in another definition in this process`;
    throw new DefinitionError(
      this.#placeOf(schema),
      `the id ${schema.id} belongs to ${other}; readers of a trace distinguish a provider's events by id. ` +
        'Give one of the two another id, or close the source that uses it.',
    );
  }

  #takeFor(schema: EventSchema, layout: string, next: number): number {
    const id = this.#ids.take(this.#keys, layout, schema.id, next, false);
    if (id === 0) {
      throw new DefinitionError(this.#placeOf(schema), 'all ids of the provider are in use in this process.');
    }
    this.#used.push(id);
    if (id !== schema.id) this.#tell(schema, layout, id);
    return id;
  }

  #tell(schema: EventSchema, layout: string, id: number): void {
    const owner = this.#ids.claim(this.#keys, layout, schema.id);
    if (owner === undefined) {
      // No event has it: another definition has given this event a different id.
      this.#ids.release(this.#keys, schema.id);
      return;
    }
    this.#changes.push(`${schema.name} has the id ${id}, because ${nameInLayout(owner)} has ${schema.id}`);
  }

  #placeOf({ name }: EventSchema): string {
    return `${this.#provider.name}.${name}`;
  }
}
