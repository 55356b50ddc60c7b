/** This thread's parts in sessions of others: a thread loads them with the first session that it joins. */
import type { SessionPart } from '../listen/shared-sessions.ts';
import { PassedTracer } from '../platform/passed-tracer.ts';
import type { UserEventsProvider } from '../wire/diagnostics-ipc/tracing.ts';
import { scratch } from '../wire/scratch.ts';
import { ThreadPart, type ThreadPartOptions } from './threads/thread-part.ts';
import { ThreadPart as TracepointPart } from './user-events/thread-part.ts';

export function joinGroup(options: ThreadPartOptions): ThreadPart {
  return new ThreadPart(options);
}

/**
 * @param id of the tracer
 * @returns undefined if the tracer is gone
 */
export function joinUserEvents(
  id: string,
  providers: readonly UserEventsProvider[],
): SessionPart | undefined {
  const tracer = PassedTracer.join(id, scratch);
  return tracer && new TracepointPart(providers, tracer);
}
