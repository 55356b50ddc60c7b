/** What a self-describing event is known by: it has no id, and its schema is made anew now and then. */
import type { EventSchema } from '../../wire/schema.ts';
import type { Listenable } from '../subscriptions.ts';

/** The same text for the same event, on all threads. */
export function kindText(source: Pick<Listenable, 'name'>, schema: EventSchema): string {
  return JSON.stringify([source.name, { ...schema, keywords: String(schema.keywords) }]);
}
