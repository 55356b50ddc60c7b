/** Requests made by undici, and therefore by `fetch`: each is an activity nested in the one that makes it. */

import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { Activity, ActivityContext } from '../activity/activity.ts';
import { traceOf } from '../activity/crossing.ts';
import { sharedActivities } from '../activity/shared.ts';
import type { TraceContext } from '../activity/trace-context.ts';
import { type FailureFields, failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { Observation } from '../runtime/observation.ts';
import { type ActivityEvents, activityEventsOf, type TraceFields } from '../source/activity-events.ts';
import { nearestCaller } from './call-stack.ts';
import { subscribed } from './channels.ts';
import { hostAndPort, NO_STATUS, requestFields } from './request-fields.ts';
import type { Settings } from './settings.ts';
import type { RequestFields, Sources } from './sources.ts';

/** The members of undici's requests that it documents for its channels. */
interface UndiciRequest {
  readonly origin?: string | URL;
  readonly path: string;
  readonly method: string;
  readonly upgrade?: string | null;
  /** Alternating names and values; before version 6, the text to be sent. */
  readonly headers?: unknown;
  addHeader(name: string, value: string): void;
}

interface OpenRequest {
  readonly caller: ActivityContext | undefined;
  readonly activity: Activity;
  statusCode: number;
}

interface RequestMessage {
  readonly request: UndiciRequest;
}

const OK = 200;
/** The function by which a pool dispatches the requests that wait, in version 7 and before. */
const DRAINING = ['[onDrain]', 'onDrain'];
const SWITCHING_PROTOCOLS = 101;

export class FetchRequests {
  readonly #events: ActivityEvents;
  readonly #settings: Settings;
  readonly #flow = sharedActivities().flow;
  readonly #open = new WeakMap<UndiciRequest, OpenRequest>();
  /** The key of a request's handler; each copy of undici has its own. */
  #handlerKey: symbol | undefined;
  /** Requests to upgrade the protocol; most versions of undici do not report their end. */
  #upgrades: (() => void) | undefined;

  constructor(events: Sources['http'], settings: Settings) {
    this.#events = activityEventsOf(events, 'ClientRequest');
    this.#settings = settings;
  }

  get observation(): Observation {
    return {
      isWanted: () => this.#settings.isOn('fetch') && this.#events.startEnabled,
      start: () => {
        const end = subscribed({
          'undici:request:create': ({ request }: RequestMessage) => this.#begin(request),
          'undici:request:headers': (message: RequestMessage & { response: { statusCode: number } }) =>
            this.#answer(message.request, message.response.statusCode),
          'undici:request:trailers': ({ request }: RequestMessage) => this.#end(request, NO_FAILURE),
          'undici:request:error': ({ request, error }: RequestMessage & { error: unknown }) =>
            this.#end(request, failureFields(error)),
        });
        return () => {
          end();
          this.#upgrades?.();
          this.#upgrades = undefined;
        };
      },
    };
  }

  #begin(request: UndiciRequest): void {
    if (!this.#events.startEnabled) return;
    const caller = this.#callerOf(request);
    const activity = this.#events.beginIn(caller, (trace) => this.#fieldsOf(request, trace));
    if (activity === undefined) return;
    this.#open.set(request, { caller, activity, statusCode: NO_STATUS });
    this.#sendTrace(request, traceOf(activity));
    if (request.upgrade || request.method === 'CONNECT') {
      this.#upgrades ??= subscribed({
        'undici:client:sendHeaders': (message: RequestMessage & { readonly socket: Socket }) =>
          this.#endWithSocket(message.request, message.socket),
      });
    }
  }

  /**
   * A pool with a limit of connections creates a request when its turn comes, in the context of the one before. The
   * handlers of undici's own methods remember their caller; that of `fetch` does not.
   */
  #callerOf(request: UndiciRequest): ActivityContext | undefined {
    const { context } = this.#flow;
    if (this.#handlerKey === undefined || !(this.#handlerKey in request)) {
      this.#handlerKey = Object.getOwnPropertySymbols(request).find(
        ({ description }) => description === 'handler',
      );
    }
    const handler = this.#handlerKey && Reflect.get(request, this.#handlerKey);
    if (handler instanceof AsyncResource) return handler.runInAsyncScope(() => this.#flow.context);
    return context !== undefined && nearestCaller(DRAINING) !== undefined ? undefined : context;
  }

  #answer(request: UndiciRequest, statusCode: number): void {
    const open = this.#open.get(request);
    if (open === undefined) return;
    open.statusCode = statusCode;
    this.#comeBackTo(open);
  }

  #end(request: UndiciRequest, failure: FailureFields): void {
    const open = this.#open.get(request);
    if (open === undefined) return;
    this.#open.delete(request);
    const { statusCode } = open;
    this.#events.endBegun(open.activity, () => ({ statusCode, ...failure, grpcStatus: NO_STATUS }));
    this.#comeBackTo(open);
  }

  /** A connection answers in the context of its first request, and an answer may have the request made again. */
  #comeBackTo({ caller }: OpenRequest): void {
    if (this.#flow.active && this.#flow.context !== caller) this.#flow.enter(caller);
  }

  /** A request that was neither answered nor failed was upgraded: it has become its connection. */
  #endWithSocket(request: UndiciRequest, socket: Socket): void {
    if (!request.upgrade && request.method !== 'CONNECT') return;
    socket.on('close', () => {
      const isConnect = request.method === 'CONNECT';
      this.#answer(request, isConnect ? OK : SWITCHING_PROTOCOLS);
      this.#end(request, NO_FAILURE);
    });
  }

  /** Adds the header, unless the application does so itself. */
  #sendTrace(request: UndiciRequest, trace: TraceContext | undefined): void {
    if (trace === undefined || hasTraceparent(request.headers)) return;
    const target = targetOf(request);
    const host = request.path.startsWith('/') ? target.host : undefined;
    if (!this.#settings.tracePeers.areSent(target, host)) return;
    for (const [name, value] of Object.entries(trace.headers)) request.addHeader(name, value);
  }

  #fieldsOf(request: UndiciRequest, trace: TraceFields): RequestFields {
    const { path, method } = request;
    const line = { path, method, versionMajor: 1, versionMinor: 1 };
    return requestFields(line, targetOf(request), trace, this.#settings);
  }
}

function targetOf({ origin }: UndiciRequest): ReturnType<typeof hostAndPort> {
  const text = String(origin ?? '');
  const scheme = text.startsWith('https:') ? 'https' : 'http';
  return hostAndPort(text.slice(text.indexOf('//') + '//'.length), scheme);
}

function hasTraceparent(headers: unknown): boolean {
  const names = Array.isArray(headers) ? headers : String(headers).split(/[\r\n:]+/);
  return names.some((name) => typeof name === 'string' && name.toLowerCase() === 'traceparent');
}
