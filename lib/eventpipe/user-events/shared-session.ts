/**
 * A user_events session on all threads: the one that starts it notifies the others, and each writes its own events to
 * the same tracepoints. Every thread must load this module.
 */

import { onSharedSession, type SessionPart, shareSession } from '../../listen/shared-sessions.ts';
import { PassedTracer } from '../../platform/passed-tracer.ts';
import type { UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import { scratch } from '../../wire/scratch.ts';
import { ThreadPart } from './thread-part.ts';

/** Incremented when the shared state changes. */
const KIND = 'user-events.v1';

/** @param id of the tracer */
export function shareUserEvents(id: string, providers: readonly UserEventsProvider[]): SessionPart {
  return shareSession(KIND, id, providers);
}

onSharedSession(KIND, (data, id) => {
  const tracer = PassedTracer.join(id, scratch);
  return tracer && new ThreadPart(data as readonly UserEventsProvider[], tracer);
});
