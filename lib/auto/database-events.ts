/** The event source `Node.Database`: database commands, and what they have to wait for. */
import { FAILURE } from '../base/thrown-fields.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** The database and its address. `host` is the path of a Unix domain socket, with port 0. */
const SERVER = { system: 'string', namespace: 'string', host: 'string', port: 'int32' } as const;

/** Event ids follow from the order: add new events at the end. */
export function defineDatabaseEvents() {
  return defineEventSource('Node.Database', {
    CommandStart: event({ text: 'string', operation: 'string', ...SERVER }, { message: '{0}' }),
    CommandStop: event(FAILURE),
    BatchStart: event({ operation: 'string', size: 'int32', ...SERVER }),
    BatchStop: event(FAILURE),
    ConnectStart: event(SERVER),
    ConnectStop: event(FAILURE),
    /** Getting a connection from a pool. */
    AcquireStart: event(SERVER),
    AcquireStop: event(FAILURE),
  });
}

export type DatabaseEvents = ReturnType<typeof defineDatabaseEvents>;
