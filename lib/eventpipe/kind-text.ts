/** What a kind of events is known by: schemas of self-describing events are made anew now and then. */

import type { Listenable } from '../listen/written-event.ts';
import type { EventSchema } from '../wire/schema.ts';

/** The same text for the same event, on all threads. */
export function kindText(source: Pick<Listenable, 'name' | 'guid'>, schema: EventSchema): string {
  return JSON.stringify([source.name, source.guid, { ...schema, keywords: String(schema.keywords) }]);
}
