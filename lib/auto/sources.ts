/** The event sources of automatic activities. */
import { ActivityOptions } from '../activity/activity.ts';
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

/** The fields of a request's Start event. */
export type RequestFields = PayloadOf<typeof REQUEST> & TraceFields;

/** The database and its address. `host` is the path of a Unix domain socket, with port 0. */
const SERVER = { system: 'string', namespace: 'string', host: 'string', port: 'int32' } as const;

/** Event ids follow from the order: add new events at the end. */
export function defineSources() {
  return {
    /** `Node.Http`: requests that this process serves, and requests that it makes. */
    http: defineEventSource('Node.Http', {
      RequestStart: event(REQUEST, { traceContext: true, message: '{1} {0}' }),
      RequestStop: event({ statusCode: 'int32', route: 'string', ...FAILURE, grpcStatus: 'int32' }),
      ClientRequestStart: event(REQUEST, { traceContext: true, message: '{1} {2}://{3}:{4}{0}' }),
      ClientRequestStop: event({ statusCode: 'int32', ...FAILURE, grpcStatus: 'int32' }),
      // How long the request waited until its agent had a socket for it.
      SocketAssigned: event({ durationMSec: 'double' }, { level: Level.Verbose }),
    }),
    /** `Node.Middleware`: the framework functions that handle a request. */
    middleware: defineEventSource('Node.Middleware', {
      // A router is a handler that contains others.
      HandlerStart: event(
        { name: 'string', kind: 'string', route: 'string', framework: 'string' },
        { activityOptions: ActivityOptions.Recursive },
      ),
      HandlerStop: event(FAILURE),
    }),
    /** `Node.Database`: database commands, and what they have to wait for. */
    database: defineEventSource('Node.Database', {
      CommandStart: event({ text: 'string', operation: 'string', ...SERVER }, { message: '{0}' }),
      CommandStop: event(FAILURE),
      BatchStart: event({ operation: 'string', size: 'int32', ...SERVER }),
      BatchStop: event(FAILURE),
      ConnectStart: event(SERVER),
      ConnectStop: event(FAILURE),
      /** Getting a connection from a pool. */
      AcquireStart: event(SERVER),
      AcquireStop: event(FAILURE),
    }),
    /** `Node.Net`: outgoing and accepted TCP connections, and what they wait for. */
    net: defineEventSource('Node.Net', {
      ConnectStart: event({ address: 'string', port: 'int32' }),
      ConnectStop: event(FAILURE),
      NameResolved: event({ host: 'string', address: 'string', errorType: 'string', durationMSec: 'double' }),
      TlsEstablished: event({ protocol: 'string', serverName: 'string', durationMSec: 'double' }),
      ConnectionAccepted: event({ address: 'string', port: 'int32' }, { level: Level.Verbose }),
    }),
    /** `Node.Process`: processes and worker threads that this thread starts, until they end. */
    processes: defineEventSource('Node.Process', {
      ChildStart: event({ program: 'string', childProcessId: 'uint32' }),
      ChildStop: event({ exitCode: 'int32', signal: 'string' }),
      WorkerStart: event({ workerThreadId: 'uint32' }),
      WorkerStop: event({ exitCode: 'int32' }),
    }),
    /**
     * `Node.Module`: modules that this thread loads, each in the one that loads it. A start loads hundreds, so the level is
     * Verbose.
     */
    modules: defineEventSource('Node.Module', {
      LoadStart: event(
        { name: 'string', package: 'string', kind: 'string', parent: 'string' },
        { level: Level.Verbose, activityOptions: ActivityOptions.Recursive },
      ),
      LoadStop: event(FAILURE, { level: Level.Verbose }),
    }),
  };
}

export type Sources = Readonly<ReturnType<typeof defineSources>>;
