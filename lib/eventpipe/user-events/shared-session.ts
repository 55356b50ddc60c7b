/**
 * A user_events session on all threads: the one that starts it notifies the others, and each writes its own events to
 * the same tracepoints. Every thread must load this module.
 */
import { onSharedSession, type SessionPart, shareSession } from '../../listen/shared-sessions.ts';
import type { UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { joinUserEvents } from '../session-parts.ts';

/** Incremented when the shared state changes. */
const KIND = 'user-events.v1';

/** @param id of the tracer */
export function shareUserEvents(id: string, providers: readonly UserEventsProvider[]): SessionPart {
  return shareSession(KIND, id, providers);
}

onSharedSession(KIND, (data, id) => joinUserEvents(id, data as readonly UserEventsProvider[]));
