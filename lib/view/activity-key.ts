/** How the activity ids of a trace are distinguished and looked up. */
import { Guid } from '../activity/guid.ts';
import { formatActivityPath, isActivityPath } from '../activity/path.ts';
import { impliedProcessId } from '../activity/path-layout.ts';

/** An id within one process: ids of the 2016 form do not contain their process. */
export interface ActivityKey {
  readonly processId: number | undefined;
  /** The path as `//1/1/6$2`, or GUID text. */
  readonly text: string;
  readonly isPath: boolean;
}

const EMPTY_GUID = '00000000-0000-0000-0000-000000000000';

/** The key of an event's id; undefined if it has none. */
export function activityKey(
  id: string | undefined,
  eventProcessId: number | undefined,
): ActivityKey | undefined {
  if (id === undefined || id === EMPTY_GUID) return undefined;
  const guid = Guid.tryParse(id);
  if (guid === undefined) return { processId: eventProcessId, text: id, isPath: false };
  const pathProcessId = processIdOfPath(guid, eventProcessId);
  if (pathProcessId === undefined) return { processId: eventProcessId, text: id, isPath: false };
  const text = formatActivityPath(guid, pathProcessId);
  return { processId: eventProcessId ?? impliedProcessId(guid), text, isPath: text.startsWith('//') };
}

/**
 * The process id for the path functions. 0, which matches any process, if that yields a path: in a container, the
 * process id differs from the one that the kernel's tracer sees. Otherwise the event's process id, which may be above
 * their limit. Undefined if it is not a path.
 */
export function processIdOfPath(guid: Guid, eventProcessId: number | undefined): number | undefined {
  if (isActivityPath(guid)) return 0;
  return eventProcessId !== undefined && isActivityPath(guid, eventProcessId) ? eventProcessId : undefined;
}

/** The key as text, for maps. */
export function keyText({ processId, text }: ActivityKey): string {
  return `${processId ?? ''} ${text}`;
}

/** The keys of the enclosing paths, nearest first. They include the ancestor of an overflow id (`//1/1$7`). */
export function* keysAbove(key: ActivityKey): Generator<ActivityKey, void, undefined> {
  if (!key.isPath) return;
  let { text } = key;
  for (;;) {
    text = text.slice(0, Math.max(text.lastIndexOf('/'), text.lastIndexOf('$')));
    if (text.length <= 1) return;
    yield { ...key, text };
  }
}
