/** Makes this thread join the sessions of the main thread. Loaded with anything that defines event sources. */
import { onSharedSession } from '../../listen/shared-sessions.ts';
import { ThreadPart, type ThreadPartOptions } from './thread-part.ts';

/** The version is raised when what threads are told of sessions changes, or how they hand their events over. */
export const SESSION_KIND = 'event-pipe.v1';

onSharedSession(SESSION_KIND, (data) => new ThreadPart(data as ThreadPartOptions));
