/** The event source `Node.Process`: processes and worker threads that this thread starts, until they end. */
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** Event ids follow from the order: add new events at the end. */
export function defineProcessEvents() {
  return defineEventSource('Node.Process', {
    ChildStart: event({ program: 'string', childProcessId: 'uint32' }),
    ChildStop: event({ exitCode: 'int32', signal: 'string' }),
    WorkerStart: event({ workerThreadId: 'uint32' }),
    WorkerStop: event({ exitCode: 'int32' }),
  });
}

export type ProcessEvents = ReturnType<typeof defineProcessEvents>;
