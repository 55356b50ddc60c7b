/** Requests made with node:http and node:https: each is an activity nested in the one that makes it. */

import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Activity } from '../activity/activity.ts';
import { traceOf } from '../activity/crossing.ts';
import type { ActivityFlow } from '../activity/flow.ts';
import { sharedActivities } from '../activity/shared.ts';
import type { TraceContext } from '../activity/trace-context.ts';
import { failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { type ActivityEvents, activityEventsOf, type TraceFields } from '../source/activity-events.ts';
import { writerOf } from '../source/event-functions.ts';
import type { EventWriter } from '../source/event-writer.ts';
import { type ChannelHandlers, subscribed } from './channels.ts';
import { ABORTED, hostAndPort, NO_STATUS, requestFields } from './request-fields.ts';
import type { Settings } from './settings.ts';
import type { RequestFields, Sources } from './sources.ts';

interface RequestMessage {
  readonly request: ClientRequest;
}

/** A request and its response, if it has one. */
type AnsweredRequest = ClientRequest & {
  readonly res?: (IncomingMessage & { readonly upgrade?: boolean }) | null;
  readonly socketPath?: string | null;
};

/** Whether Node.js reports the creation of a request, in time to add a header, and not only that it has been sent. */
const IS_TOLD_OF_CREATION = isAtLeast(22, 12);

function isAtLeast(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number);
  // The channel was added to 23 in 23.2; odd versions are not supported.
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function targetOf(request: ClientRequest): ReturnType<typeof hostAndPort> {
  const scheme = request.protocol === 'https:' ? 'https' : 'http';
  const authority = request.getHeader('host');
  return hostAndPort(typeof authority === 'string' ? authority : request.host, scheme);
}

function isQueued(request: ClientRequest & { readonly agent?: Agent | null }): boolean {
  for (const queue of Object.values(request.agent?.requests ?? {})) {
    if ((queue as readonly unknown[] | undefined)?.includes(request)) return true;
  }
  return false;
}

export class ClientRequests {
  readonly #events: ActivityEvents;
  readonly #socketAssigned: EventWriter;
  readonly #settings: Settings;
  readonly #flow: ActivityFlow = sharedActivities().flow;
  readonly #begun = new WeakSet<ClientRequest>();
  readonly #errors = new WeakMap<ClientRequest, unknown>();

  constructor(events: Sources['http'], settings: Settings) {
    this.#events = activityEventsOf(events, 'ClientRequest');
    this.#socketAssigned = writerOf(events.SocketAssigned);
    this.#settings = settings;
  }

  get observation(): Observation {
    return {
      isWanted: () => this.#settings.isOn('httpClient') && this.#events.startEnabled,
      start: () => subscribed(this.#handlers),
    };
  }

  get #handlers(): ChannelHandlers {
    const onError = ({ request, error }: RequestMessage & { readonly error: unknown }) => {
      if (!IS_TOLD_OF_CREATION) this.#beginUnsent(request);
      this.#errors.set(request, error);
    };
    if (IS_TOLD_OF_CREATION) {
      return {
        'http.client.request.created': ({ request }: RequestMessage) => this.#begin(request),
        'http.client.request.error': onError,
      };
    }
    return {
      'http.client.request.start': ({ request }: RequestMessage) => this.#beginOnce(request),
      'http.client.response.finish': ({ request }: RequestMessage) => this.#beginUnsent(request),
      'http.client.request.error': onError,
    };
  }

  /** A request that is answered or fails while its body is still being sent: its start is reported only afterwards. */
  #beginUnsent(request: ClientRequest): void {
    if (!request.writableEnded) this.#beginOnce(request);
  }

  #beginOnce(request: ClientRequest): void {
    // A closed request emits no further events.
    if (this.#begun.has(request) || request.closed) return;
    this.#begun.add(request);
    this.#begin(request);
  }

  #begin(request: AnsweredRequest): void {
    if (!this.#events.startEnabled || this.#flow.isQuiet) return;
    const activity = this.#events.beginIn(
      this.#flow.context,
      (trace) => this.#fieldsOf(request, trace),
      request,
    );
    if (activity === undefined) return;
    // `close` always comes: after a response, a failure, an abort, an upgrade. If nobody reads the response, it comes
    // with the connection's.
    request.on('close', () => this.#events.endBegun(activity, () => this.#outcomeOf(request)));
    if (IS_TOLD_OF_CREATION && this.#socketAssigned.isNoticed) this.#watchAgent(request, activity);
    this.#sendTrace(request, traceOf(activity));
  }

  /** Whether its agent has a socket for it is only known when it has been created. */
  #watchAgent(request: ClientRequest, { id }: Activity): void {
    const createdAt = performance.now();
    process.nextTick(() => {
      if (!isQueued(request)) return;
      request.once('socket', () => {
        const durationMSec = performance.now() - createdAt;
        this.#socketAssigned.write({ durationMSec }, id, undefined, undefined);
      });
    });
  }

  /** Does nothing if it is too late, as on Node.js 20, or if the application adds the header itself. */
  #sendTrace(request: AnsweredRequest, trace: TraceContext | undefined): void {
    if (trace === undefined || request.headersSent || request.hasHeader('traceparent')) return;
    const host = request.socketPath ? '' : request.host;
    const isDirect = request.path.startsWith('/');
    if (!this.#settings.tracePeers.areSent(targetOf(request), isDirect ? host : undefined)) return;
    for (const [name, value] of Object.entries(trace.headers)) request.setHeader(name, value);
  }

  #fieldsOf(request: ClientRequest, trace: TraceFields): RequestFields {
    const { path, method } = request;
    const line = { path, method, versionMajor: 1, versionMinor: 1 };
    return requestFields(line, targetOf(request), trace, this.#settings);
  }

  #outcomeOf(request: AnsweredRequest) {
    const { res } = request;
    const status = { statusCode: res?.statusCode ?? NO_STATUS, grpcStatus: NO_STATUS };
    if (res?.complete || res?.upgrade) return { ...status, ...NO_FAILURE };
    if (this.#errors.has(request)) return { ...status, ...failureFields(this.#errors.get(request)) };
    return { ...status, ...ABORTED };
  }
}
