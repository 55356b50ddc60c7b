/** Activity ids as applications meet them, GUID text, turned into what people read. */
import { Guid } from './guid.ts';
import { formatActivityPath } from './path.ts';

/**
 * An activity id as people read it: its path, such as `//1/1/6/1`. A number that only makes the id of a very
 * deep path unique has `$` before it (`//1/1/6$7`).
 *
 * @param guidText an event's `activityId` or `relatedActivityId`. A GUID that is no path, or any other text,
 *   comes back as it is; only the ids that TraceEvent makes up for HTTP and SQL commands get names.
 */
export function activityPath(guidText: string): string {
  const guid = Guid.tryParse(guidText);
  return guid === undefined ? guidText : formatActivityPath(guid);
}
