/** The event source `Node.Net`: outgoing and accepted TCP connections, and what they wait for. */
import { FAILURE } from '../base/thrown-fields.ts';
import { Level } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';

/** Event ids follow from the order: add new events at the end. */
export function defineConnectionEvents() {
  return defineEventSource('Node.Net', {
    ConnectStart: event({ address: 'string', port: 'int32' }),
    ConnectStop: event(FAILURE),
    NameResolved: event({ host: 'string', address: 'string', errorType: 'string', durationMSec: 'double' }),
    TlsEstablished: event({ protocol: 'string', serverName: 'string', durationMSec: 'double' }),
    ConnectionAccepted: event({ address: 'string', port: 'int32' }, { level: Level.Verbose }),
  });
}

export type ConnectionEvents = ReturnType<typeof defineConnectionEvents>;
