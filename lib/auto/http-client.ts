/** Requests that node:http and node:https make: each an activity in the one that makes it. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ActivityFlow } from '../activity/flow.ts';
import { sharedActivities } from '../activity/shared.ts';
import type { TraceContext } from '../activity/trace-context.ts';
import type { Observation } from '../runtime/observation.ts';
import { type ActivityEvents, activityEventsOf, type TraceFields } from '../source/activity-events.ts';
import { type ChannelHandlers, subscribed } from './channels.ts';
import type { HttpEvents, RequestFields } from './http-events.ts';
import {
  failureFields,
  hostAndPort,
  NO_FAILURE,
  NO_STATUS,
  originOf,
  pathAndQueryOf,
} from './request-fields.ts';
import type { Settings } from './settings.ts';

interface RequestMessage {
  readonly request: ClientRequest;
}

/** A request with the response that it has got, if any. */
type AnsweredRequest = ClientRequest & {
  readonly res?: (IncomingMessage & { readonly upgrade?: boolean }) | null;
};

/** Whether a request is told of when it is made, in time to get a header, and not only when it has been sent. */
const IS_TOLD_OF_CREATION = isAtLeast(22, 12);

function isAtLeast(major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number);
  // The channel came to 23 with 23.2; versions of odd numbers are not supported.
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function targetOf(request: ClientRequest): ReturnType<typeof hostAndPort> {
  const scheme = request.protocol === 'https:' ? 'https' : 'http';
  const authority = request.getHeader('host');
  return hostAndPort(typeof authority === 'string' ? authority : request.host, scheme);
}

export class ClientRequests {
  readonly #events: ActivityEvents;
  readonly #settings: Settings;
  readonly #flow: ActivityFlow = sharedActivities().flow;
  readonly #begun = new WeakSet<ClientRequest>();
  readonly #errors = new WeakMap<ClientRequest, unknown>();

  constructor(events: HttpEvents, settings: Settings) {
    this.#events = activityEventsOf(events, 'ClientRequest');
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

  /** One that is answered, or has failed, while its body is still being sent: it is told of only afterwards. */
  #beginUnsent(request: ClientRequest): void {
    if (!request.writableEnded) this.#beginOnce(request);
  }

  #beginOnce(request: ClientRequest): void {
    // Of one that is over nothing more is heard.
    if (this.#begun.has(request) || request.closed) return;
    this.#begun.add(request);
    this.#begin(request);
  }

  #begin(request: AnsweredRequest): void {
    if (!this.#events.startEnabled) return;
    const activity = this.#events.beginIn(this.#flow.context, (trace) => this.#fieldsOf(request, trace));
    if (activity === undefined) return;
    if (this.#settings.tracesAny) this.#sendTrace(request, activity.trace);
    // Comes in every case: answered, failed, aborted, upgraded. Where nobody reads the response, with the connection's.
    request.on('close', () => this.#events.endBegun(activity, () => this.#outcomeOf(request)));
  }

  /** Where it is not too late, as it is on Node.js 20, and where the application does not do so itself. */
  #sendTrace(request: ClientRequest, trace: TraceContext | undefined): void {
    if (trace === undefined || request.headersSent || request.hasHeader('traceparent')) return;
    const { scheme, host, port } = targetOf(request);
    if (!this.#settings.isTraced(originOf(scheme, host, port))) return;
    for (const [name, value] of Object.entries(trace.headers)) request.setHeader(name, value);
  }

  #fieldsOf(request: ClientRequest, trace: TraceFields): RequestFields {
    const { host, port, scheme } = targetOf(request);
    return {
      pathAndQuery: pathAndQueryOf(request.path, this.#settings.hasUrlQueries),
      method: request.method,
      scheme,
      host,
      port,
      versionMajor: 1,
      versionMinor: 1,
      traceId: trace.traceId,
      spanId: trace.spanId,
      parentSpanId: trace.parentSpanId,
    };
  }

  #outcomeOf(request: AnsweredRequest) {
    const { res } = request;
    const statusCode = res?.statusCode ?? NO_STATUS;
    if (res?.complete || res?.upgrade) return { statusCode, ...NO_FAILURE };
    if (this.#errors.has(request)) return { statusCode, ...failureFields(this.#errors.get(request)) };
    return { statusCode, errorType: 'aborted', errorMessage: '' };
  }
}
