/** The event source `Node.Database`: commands to databases, and what they have to wait for. */
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** Which database it is, and where. `host` is a path for a socket of the file system, with the port 0. */
const SERVER = { system: 'string', namespace: 'string', host: 'string', port: 'int32' } as const;
const OUTCOME = { errorType: 'string', errorMessage: 'string' } as const;

/** Events get their ids by their order: new ones go to the end. */
export function defineDatabaseEvents() {
  return defineEventSource('Node.Database', {
    CommandStart: event({ text: 'string', operation: 'string', ...SERVER }, { message: '{0}' }),
    CommandStop: event(OUTCOME),
    BatchStart: event({ operation: 'string', size: 'int32', ...SERVER }),
    BatchStop: event(OUTCOME),
    ConnectStart: event(SERVER),
    ConnectStop: event(OUTCOME),
    /** A connection out of a pool. */
    AcquireStart: event(SERVER),
    AcquireStop: event(OUTCOME),
  });
}

export type DatabaseEvents = ReturnType<typeof defineDatabaseEvents>;
