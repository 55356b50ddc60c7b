/** Makes this thread join the main thread's sessions. Loaded with anything that defines event sources. */
import { onSharedSession } from '../../listen/shared-sessions.ts';
import { type GroupPart, joinGroup } from '../session-parts.ts';
import type { ThreadPartOptions } from './thread-part.ts';

/** The versions change with the data below, and with the way threads pass on events. */
export const GROUP_KIND = 'event-pipe-group.v2';
/** A session of a group that has already been shared. */
export const SESSION_KIND = 'event-pipe.v3';

/** What a worker thread is told about a session. */
export interface SessionOfGroup {
  /** The id of its group. */
  readonly group: string;
}

/** The key is the group. */
const parts = new Map<string, GroupPart>();

onSharedSession(GROUP_KIND, (data) => {
  const options = data as ThreadPartOptions;
  const part = joinGroup(options);
  parts.set(options.group, part);
  const end = (): void => {
    parts.delete(options.group);
    part.end();
  };
  return { end };
});
onSharedSession(SESSION_KIND, (data) => parts.get((data as SessionOfGroup).group)?.add());
