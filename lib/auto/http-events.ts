/** The event source `Node.Http`: requests that this process serves, and those that it makes. */
import type { TraceFields } from '../source/activity-events.ts';
import { event } from '../source/event.ts';
import { defineEventSource } from '../source/event-source.ts';
import type { PayloadOf } from '../source/fields.ts';

/**
 * As the RequestStart of .NET's System.Net.Http has it, and the method; the path first, because tools show the first
 * text of a Start as what it is about.
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

/** Events get their ids by their order: new ones go to the end. */
export function defineHttpEvents() {
  return defineEventSource('Node.Http', {
    RequestStart: event(REQUEST, { traceContext: true, message: '{1} {0}' }),
    RequestStop: event({ statusCode: 'int32', route: 'string', errorType: 'string' }),
    ClientRequestStart: event(REQUEST, { traceContext: true, message: '{1} {2}://{3}:{4}{0}' }),
    ClientRequestStop: event({ statusCode: 'int32', errorType: 'string', errorMessage: 'string' }),
  });
}

export type HttpEvents = ReturnType<typeof defineHttpEvents>;

/** What a Start event says of a request. */
export type RequestFields = PayloadOf<typeof REQUEST> & TraceFields;
