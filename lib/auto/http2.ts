/** Requests over node:http2: the streams that servers accept, and those of clients. Node.js 20 reports none of them. */

import type {
  ClientHttp2Stream,
  Http2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import type { Activity } from '../activity/activity.ts';
import { sharedActivities } from '../activity/shared.ts';
import { type FailureFields, failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { type ActivityEvents, activityEventsOf, type TraceFields } from '../source/activity-events.ts';
import { subscribed } from './channels.ts';
import { grpcOutcome } from './grpc-status.ts';
import { ABORTED, hostAndPort, NO_STATUS, requestFields } from './request-fields.ts';
import type { Settings } from './settings.ts';
import type { RequestFields, Sources } from './sources.ts';

/** The headers of a request or a response. */
type Headers = IncomingHttpHeaders & OutgoingHttpHeaders;

interface StreamMessage<Stream extends Http2Stream> {
  readonly stream: Stream;
  readonly headers: Headers;
}

interface ErrorMessage {
  readonly stream: Http2Stream;
  readonly error: unknown;
}

export class Http2Requests {
  readonly #served: ActivityEvents;
  readonly #made: ActivityEvents;
  readonly #settings: Settings;
  readonly #flow = sharedActivities().flow;
  /** The headers of responses to clients. */
  readonly #answers = new WeakMap<Http2Stream, Headers>();
  readonly #trailers = new WeakMap<Http2Stream, Headers>();
  readonly #errors = new WeakMap<Http2Stream, unknown>();

  constructor(events: Sources['http'], settings: Settings) {
    this.#served = activityEventsOf(events, 'Request');
    this.#made = activityEventsOf(events, 'ClientRequest');
    this.#settings = settings;
  }

  get observation(): Observation {
    const onError = ({ stream, error }: ErrorMessage) => this.#errors.set(stream, error);
    return {
      isWanted: () => this.#settings.isOn('http2') && (this.#served.startEnabled || this.#made.startEnabled),
      start: () =>
        subscribed({
          'http2.server.stream.created': (message: StreamMessage<ServerHttp2Stream>) => this.#serve(message),
          'http2.server.stream.error': onError,
          'http2.client.stream.created': (message: StreamMessage<ClientHttp2Stream>) => this.#make(message),
          'http2.client.stream.finish': ({ stream, headers }: StreamMessage<ClientHttp2Stream>) =>
            this.#answers.set(stream, headers),
          'http2.client.stream.error': onError,
        }),
    };
  }

  #serve({ stream, headers }: StreamMessage<ServerHttp2Stream>): void {
    // A server push is not a request, and has already been sent.
    if (!this.#served.startEnabled || stream.sentHeaders !== undefined) return;
    const remote = this.#settings.tracePeers.contextOf(headers, stream.session?.socket);
    const activity = this.#served.beginIn(remote, (trace) => this.#fieldsOf(headers, trace));
    if (activity === undefined) return;
    activity.route = '';
    this.#flow.enter(activity);
    // Node.js calls these in the context of the connection. The application's code runs after this.
    const comeBack = () => this.#flow.comeBackTo(activity);
    stream.on('end', comeBack);
    stream.on('close', () => {
      comeBack();
      process.nextTick(this.#endServed, activity, stream);
    });
  }

  readonly #endServed = (activity: Activity, stream: ServerHttp2Stream): void =>
    this.#served.endBegun(activity, () => ({
      ...this.#outcomeOf(stream, stream.sentHeaders, stream.sentTrailers, false),
      route: activity.route ?? '',
    }));

  #make({ stream, headers }: StreamMessage<ClientHttp2Stream>): void {
    if (!this.#made.startEnabled || isPushed(stream) || isOfUndici(stream)) return;
    const activity = this.#made.beginIn(this.#flow.context, (trace) => this.#fieldsOf(headers, trace));
    if (activity === undefined) return;
    stream.on('trailers', (trailers) => this.#trailers.set(stream, trailers));
    stream.on('close', () => {
      this.#made.endBegun(activity, () =>
        this.#outcomeOf(stream, this.#answers.get(stream), this.#trailers.get(stream), true),
      );
    });
  }

  #outcomeOf(
    stream: Http2Stream,
    headers: Readonly<Record<string, unknown>> | undefined,
    trailers: Readonly<Record<string, unknown>> | undefined,
    isClient: boolean,
  ): FailureFields & { statusCode: number; grpcStatus: number } {
    const status = { statusCode: Number(headers?.[':status'] ?? NO_STATUS), grpcStatus: NO_STATUS };
    const grpc = grpcOutcome(trailers, isClient) ?? grpcOutcome(headers, isClient);
    if (grpc !== undefined) return { ...status, ...grpc };
    if (this.#errors.has(stream)) return { ...status, ...failureFields(this.#errors.get(stream)) };
    return { ...status, ...(headers === undefined || stream.aborted ? ABORTED : NO_FAILURE) };
  }

  #fieldsOf(headers: Headers, trace: TraceFields): RequestFields {
    const scheme = String(headers[':scheme'] ?? 'https');
    const { host, port } = hostAndPort(String(headers[':authority'] ?? headers.host ?? ''), scheme);
    const line = {
      path: String(headers[':path'] ?? ''),
      method: String(headers[':method'] ?? 'GET'),
      versionMajor: 2,
      versionMinor: 0,
    };
    return requestFields(line, { scheme, host, port }, trace, this.#settings);
  }
}

/** Streams opened by servers have even numbers. */
function isPushed({ id }: ClientHttp2Stream): boolean {
  return id !== undefined && id % 2 === 0;
}

/** Undici reports its requests itself, in every HTTP version. */
function isOfUndici({ session }: ClientHttp2Stream): boolean {
  return (
    session !== undefined &&
    Object.getOwnPropertySymbols(session).some(({ description }) => description === 'open streams')
  );
}
