/** Express requests, from the channels of its package router (2.3 or later): their routes and handlers. */
import type { IncomingMessage } from 'node:http';
import { shortened } from '../base/thrown-fields.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import type { ChannelHandlers } from './channels.ts';
import type { ServerRequests } from './http-server.ts';
import type { Sources } from './sources.ts';
import { type CallMessage, TracedCalls } from './traced-calls.ts';

const CHANNEL = 'express.router.request';
const MAX_NAME = 200;

type Request = IncomingMessage & {
  readonly baseUrl?: string;
  readonly route?: { readonly stack?: unknown };
};

/** A call to a handler. */
interface HandlerMessage extends CallMessage {
  readonly req: Request;
  readonly layer?: unknown;
  readonly handler?: { readonly name?: unknown };
  /** The layer's pattern within its router. */
  readonly route?: unknown;
  readonly errorHandler?: boolean;
  readonly param?: unknown;
}

/** A router is mounted here: `/tenants/a` for this request, `/tenants/:tenant` in general. */
interface Mount {
  readonly base: string;
  readonly pattern: string;
}

const isWithin = (base: string, mount: Mount) => base === mount.base || base.startsWith(`${mount.base}/`);

/** Gives each request the pattern of its route, including those of the enclosing routers. */
export function expressRoutes(requests: ServerRequests): ChannelHandlers {
  const mounts = new WeakMap<Request, Mount[]>();
  /** The pattern of the innermost known router. */
  const patternOf = (req: Request, base: string) => {
    const around = mounts.get(req)?.findLast((mount) => isWithin(base, mount));
    return around === undefined ? base : around.pattern + base.slice(around.base.length);
  };
  return {
    [`tracing:${CHANNEL}:start`]: (message: HandlerMessage) => {
      const { req, route } = message;
      if (typeof route !== 'string' || message.param !== undefined) return;
      const { baseUrl = '' } = req;
      if (isOfRoute(message)) {
        const base = patternOf(req, baseUrl);
        requests.setRoute(req, base !== '' && route === '/' ? base : base + route);
      } else if (baseUrl !== '' && route !== '/') {
        const known = mounts.get(req);
        if (known?.some(({ base }) => base === baseUrl)) return;
        const around = known?.findLast((mount) => isWithin(baseUrl, mount));
        const mount = { base: baseUrl, pattern: (around?.pattern ?? '') + route };
        if (known === undefined) mounts.set(req, [mount]);
        else known.push(mount);
      }
    },
    [`tracing:${CHANNEL}:error`]: ({ req, error }: HandlerMessage) => requests.setThrown(req, error),
  };
}

/** Handlers as activities. Each is nested in the request itself, although one handler calls the next. */
export function expressHandlers(events: Sources['middleware'], requests: ServerRequests): ChannelHandlers {
  return new TracedCalls<HandlerMessage>(CHANNEL, {
    events: activityEventsOf(events, 'Handler'),
    parentOf: ({ req }) => requests.contextOf(req),
    fieldsOf: (message) => ({
      name: nameOf(message, requests),
      kind: kindOf(message),
      route: typeof message.route === 'string' ? shortened(message.route, MAX_NAME) : '',
      framework: 'express',
    }),
    isEntered: true,
  }).handlers;
}

function isOfRoute({ req, layer }: HandlerMessage): boolean {
  const { stack } = req.route ?? {};
  return Array.isArray(stack) && stack.includes(layer);
}

function kindOf(message: HandlerMessage): string {
  if (message.param !== undefined) return 'param';
  if (message.errorHandler) return 'errorHandler';
  return isOfRoute(message) ? 'handler' : 'middleware';
}

function nameOf(message: HandlerMessage, requests: ServerRequests): string {
  const { req, handler, param, route } = message;
  const name = typeof param === 'string' ? param : handler?.name;
  if (typeof name === 'string' && name !== '') return shortened(name, MAX_NAME);
  if (!isOfRoute(message) || typeof route !== 'string') return '<anonymous>';
  // Most handlers of routes are anonymous functions.
  return shortened(`${req.method} ${requests.routeOf(req) || route}`, MAX_NAME);
}
