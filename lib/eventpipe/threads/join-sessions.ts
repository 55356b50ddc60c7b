/** Makes this thread join the main thread's sessions. Loaded with anything that defines event sources. */
import { onSharedSession } from '../../listen/shared-sessions.ts';
import { ThreadPart, type ThreadPartOptions } from './thread-part.ts';

/** The versions change with the data below, and with the way threads pass on events. */
export const GROUP_KIND = 'event-pipe-group.v1';
/** A session of a group that has already been shared. */
export const SESSION_KIND = 'event-pipe.v2';

/** What a worker thread is told about a session. */
export interface SessionOfGroup {
  /** The channel of its group. */
  readonly channel: string;
}

/** The key is the channel. */
const parts = new Map<string, ThreadPart>();

onSharedSession(GROUP_KIND, (data) => {
  const options = data as ThreadPartOptions;
  const part = new ThreadPart(options);
  parts.set(options.channel, part);
  const end = (): void => {
    parts.delete(options.channel);
    part.end();
  };
  return { end };
});
onSharedSession(SESSION_KIND, (data) => parts.get((data as SessionOfGroup).channel)?.add());
