/** The event source `Node.Http`: requests that this process serves, and requests that it makes. */
import { FAILURE } from '../base/thrown-fields.ts';
import type { TraceFields } from '../source/activity-events.ts';
import { Level } from '../source/constants.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';
import type { PayloadOf } from '../source/fields.ts';

/**
 * The fields are those of RequestStart in .NET's System.Net.Http, plus the method. The path comes first, because tools
 * show the first string of a Start as its description.
 */
const REQUEST = {
  pathAndQuery: 'string',
  method: 'string',
  scheme: 'string',
  host: 'string',
  port: 'int32',
  versionMajor: 'uint8',
  versionMinor: 'uint8',
} as const;

/** Event ids follow from the order: add new events at the end. */
export function defineHttpEvents() {
  return defineEventSource('Node.Http', {
    RequestStart: event(REQUEST, { traceContext: true, message: '{1} {0}' }),
    RequestStop: event({ statusCode: 'int32', route: 'string', ...FAILURE, grpcStatus: 'int32' }),
    ClientRequestStart: event(REQUEST, { traceContext: true, message: '{1} {2}://{3}:{4}{0}' }),
    ClientRequestStop: event({ statusCode: 'int32', ...FAILURE, grpcStatus: 'int32' }),
    // How long the request waited until its agent had a socket for it.
    SocketAssigned: event({ durationMSec: 'double' }, { level: Level.Verbose }),
  });
}

export type HttpEvents = ReturnType<typeof defineHttpEvents>;

/** The fields of a request's Start event. */
export type RequestFields = PayloadOf<typeof REQUEST> & TraceFields;
