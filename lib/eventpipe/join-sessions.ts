/** How a thread takes part in the sessions that other threads start. */
import { onSharedSession } from '../listen/shared-sessions.ts';
import type { UserEventsProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { joinGroup, joinUserEvents } from './session-parts.ts';
import type { ThreadPart, ThreadPartOptions } from './threads/thread-part.ts';

/** The versions change with the data below, and with the way threads pass on events. */
export const GROUP_KIND = 'event-pipe-group.v2';
/** A session of a group that has already been shared. */
export const SESSION_KIND = 'event-pipe.v3';
/** A user_events session: each thread writes its own events to the same tracepoints. Its id is the tracer's. */
export const USER_EVENTS_KIND = 'user-events.v1';

/** What a worker thread is told about a session. */
export interface SessionOfGroup {
  /** The id of its group. */
  readonly group: string;
}

/** The key is the group. */
const parts = new Map<string, ThreadPart>();
let hasJoined = false;

/** Makes this thread join the sessions that others have started, and those that they start later. */
export function joinSessions(): void {
  if (hasJoined) return;
  hasJoined = true;
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
  onSharedSession(USER_EVENTS_KIND, (data, id) => joinUserEvents(id, data as readonly UserEventsProvider[]));
}
