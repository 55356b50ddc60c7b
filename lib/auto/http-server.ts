/** Requests served by node:http and node:https: each is an activity, and everything that it causes belongs to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Activity, ActivityContext } from '../activity/activity.ts';
import type { ActivityFlow } from '../activity/flow.ts';
import { sharedActivities } from '../activity/shared.ts';
import { type FailureFields, failureFields, NO_FAILURE, shortened } from '../base/thrown-fields.ts';
import { isHttpError } from '../known/failures.ts';
import type { Observation } from '../runtime/observation.ts';
import { type ActivityEvents, activityEventsOf, type TraceFields } from '../source/activity-events.ts';
import { subscribed } from './channels.ts';
import { ABORTED, hostAndPort, NO_STATUS, requestFields } from './request-fields.ts';
import { MAX_ROUTE, setRouteOf } from './routes.ts';
import type { Settings } from './settings.ts';
import type { RequestFields, Sources } from './sources.ts';

interface RequestMessage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

/** A request without a Stop so far. */
class OpenRequest {
  readonly request: IncomingMessage;
  readonly activity: Activity;
  /** What a handler has thrown, as a framework has reported it. */
  thrown: { readonly error: unknown } | undefined = undefined;
  /** The next request of the connection. */
  next: OpenRequest | undefined = undefined;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, activity: Activity) {
    this.request = request;
    this.#response = response;
    this.activity = activity;
  }

  outcome() {
    const { headersSent, statusCode, writableFinished } = this.#response;
    const { errorType, errorMessage, errorStack } = this.#failureOf(!writableFinished, statusCode);
    return {
      statusCode: headersSent ? statusCode : NO_STATUS,
      grpcStatus: NO_STATUS,
      route: this.activity.route || routeOf(this.request),
      errorType,
      errorMessage,
      errorStack,
    };
  }

  /** Applications also throw what they answer as a mistake of the client. */
  #failureOf(isAborted: boolean, statusCode: number): FailureFields {
    if (this.thrown !== undefined && (isAborted || isHttpError(statusCode, false))) {
      return failureFields(this.thrown.error);
    }
    return isAborted ? ABORTED : NO_FAILURE;
  }
}

/** The route that Express and similar frameworks store on the request; empty if there is none. */
function routeOf(request: IncomingMessage): string {
  const { route, baseUrl } = request as { route?: { path?: unknown }; baseUrl?: unknown };
  const path = route?.path;
  if (typeof path !== 'string') return '';
  const base = typeof baseUrl === 'string' ? baseUrl : '';
  return shortened(base !== '' && path === '/' ? base : base + path, MAX_ROUTE);
}

/**
 * The requests of a connection without a Stop so far, linked. In a Set that lives as long as a connection, each request
 * would leave 100 bytes to V8's old generation, and collecting these takes a request half a microsecond.
 */
class OpenRequests {
  readonly #socket: Socket;
  readonly #onClose: () => void;
  #first: OpenRequest | undefined = undefined;
  #isListening = false;

  /** @param end called for each that is open when the connection closes, if `add` was told of a queue */
  constructor(socket: Socket, end: (open: OpenRequest) => void) {
    this.#socket = socket;
    this.#onClose = () => {
      for (let open = this.#first; open !== undefined; open = open.next) end(open);
    };
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  find(request: IncomingMessage): OpenRequest | undefined {
    let open = this.#first;
    while (open !== undefined && open.request !== request) open = open.next;
    return open;
  }

  /** @param isQueued whether the response waits for others: it is not told when the connection closes */
  add(open: OpenRequest, isQueued: boolean): void {
    open.next = this.#first;
    this.#first = open;
    if (!isQueued || this.#isListening) return;
    this.#isListening = true;
    this.#socket.on('close', this.#onClose);
  }

  /** Connections last longer than recordings: between requests, nothing listens to them. */
  delete(open: OpenRequest): boolean {
    if (this.#first === open) this.#first = open.next;
    else {
      let before = this.#first;
      while (before !== undefined && before.next !== open) before = before.next;
      if (before === undefined) return false;
      before.next = open.next;
    }
    if (this.#isListening && this.isEmpty) {
      this.#isListening = false;
      this.#socket.off('close', this.#onClose);
    }
    return true;
  }
}

/** Whether the connection has not sent an earlier response completely: only Node.js's own property tells. */
function isSending(socket: Socket): boolean {
  return Boolean((socket as { readonly _httpMessage?: object | null })._httpMessage);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

export class ServerRequests {
  readonly #events: ActivityEvents;
  readonly #settings: Settings;
  readonly #flow: ActivityFlow = sharedActivities().flow;
  readonly #bySocket = new WeakMap<Socket, OpenRequests>();

  constructor(events: Sources['http'], settings: Settings) {
    this.#events = activityEventsOf(events, 'Request');
    this.#settings = settings;
  }

  setRoute(request: IncomingMessage, route: string): void {
    setRouteOf(this.#find(request)?.activity, route);
  }

  /** Returns an empty text if the request has none so far. */
  routeOf(request: IncomingMessage): string {
    return this.#find(request)?.activity.route ?? '';
  }

  /** Reports what a handler of the request has thrown. */
  setThrown(request: IncomingMessage, error: unknown): void {
    const open = this.#find(request);
    if (open !== undefined) open.thrown = { error };
  }

  /** The context for what belongs to a request; the running code's if the request is not traced. */
  contextOf(request: IncomingMessage): ActivityContext | undefined {
    return this.#find(request)?.activity ?? this.#flow.context;
  }

  #find(request: IncomingMessage): OpenRequest | undefined {
    return this.#bySocket.get(request.socket)?.find(request);
  }

  /** The channels to subscribe to. */
  get observation(): Observation {
    return {
      isWanted: () => this.#settings.isOn('httpServer') && this.#events.startEnabled,
      start: () => {
        // The flow sets a connection's context before each of its requests, using the same channel. It must come first,
        // so it remains while this is subscribed.
        this.#flow.begin();
        const release = this.#flow.keepWhile(() => true);
        const end = subscribed({ 'http.server.request.start': (message) => this.#begin(message) });
        return () => {
          end();
          release();
        };
      },
    };
  }

  #begin({ request, response, socket }: RequestMessage): void {
    if (!this.#events.startEnabled) return;
    // Never in the running code's context: on Node.js 20 and 22, it may be that of another request on the connection.
    const remote = this.#settings.tracePeers.contextOf(request.headers, socket);
    const activity = this.#events.beginIn(
      remote,
      (trace) => this.#fieldsOf(request, socket, trace),
      response,
    );
    if (activity === undefined) return;
    this.#flow.enter(activity);
    const ofSocket = this.#openOf(socket);
    const isPipelined = !ofSocket.isEmpty || isSending(socket);
    const open = new OpenRequest(request, response, activity);
    ofSocket.add(open, isPipelined);
    activity.route = '';
    // The application's code runs after this, and belongs to the request. Node.js calls these in the context of the
    // connection, or of an earlier request.
    const comeBack = () => this.#flow.comeBackTo(activity);
    if (hasBody(request)) request.on('end', comeBack);
    if (isPipelined) response.on('finish', comeBack);
    // `close` always comes; `finish` does not if the client has gone.
    response.on('close', () => {
      if (isPipelined || !response.writableFinished) comeBack();
      if (response.listenerCount('close') > 1) process.nextTick(this.#end, open, ofSocket);
      else this.#end(open, ofSocket);
    });
  }

  readonly #end = (open: OpenRequest, ofSocket: OpenRequests): void => {
    if (ofSocket.delete(open)) {
      this.#events.endBegun(open.activity, () => open.outcome());
    }
  };

  /** The open requests of a connection, which end when it closes. */
  #openOf(socket: Socket): OpenRequests {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const ofSocket: OpenRequests = new OpenRequests(socket, (open) =>
      process.nextTick(this.#end, open, ofSocket),
    );
    this.#bySocket.set(socket, ofSocket);
    return ofSocket;
  }

  #fieldsOf(request: IncomingMessage, socket: Socket, trace: TraceFields): RequestFields {
    const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
    const { host, port } = hostAndPort(request.headers.host ?? '', scheme);
    const line = {
      path: request.url ?? '',
      method: request.method ?? '',
      versionMajor: request.httpVersionMajor,
      versionMinor: request.httpVersionMinor,
    };
    return requestFields(line, { scheme, host, port }, trace, this.#settings);
  }
}
