/** Fastify requests, from its own channels: their route and handler. */
import type { IncomingMessage } from 'node:http';
import { shortened } from '../base/thrown-fields.ts';
import { activityEventsOf } from '../source/activity-events.ts';
import type { ChannelHandlers } from './channels.ts';
import type { ServerRequests } from './http-server.ts';
import type { Sources } from './sources.ts';
import { type CallMessage, TracedCalls } from './traced-calls.ts';

const CHANNEL = 'fastify.request.handler';
const MAX_NAME = 200;

interface HandlerMessage extends CallMessage {
  readonly request: {
    readonly raw: IncomingMessage;
    readonly routeOptions?: { readonly handler?: { readonly name?: unknown } };
  };
  /** Whether the handler returned a promise. */
  readonly async?: boolean;
  readonly route?: { readonly url?: unknown };
}

export function fastifyRoutes(requests: ServerRequests): ChannelHandlers {
  return {
    [`tracing:${CHANNEL}:start`]: ({ request, route }: HandlerMessage) => {
      if (typeof route?.url === 'string') requests.setRoute(request.raw, route.url);
    },
    [`tracing:${CHANNEL}:error`]: ({ request, error }: HandlerMessage) =>
      requests.setThrown(request.raw, error),
  };
}

export function fastifyHandlers(events: Sources['middleware'], requests: ServerRequests): ChannelHandlers {
  return new TracedCalls<HandlerMessage>(CHANNEL, {
    events: activityEventsOf(events, 'Handler'),
    parentOf: ({ request }) => requests.contextOf(request.raw),
    fieldsOf: ({ request, route }) => {
      const { name } = request.routeOptions?.handler ?? {};
      const own = typeof name === 'string' ? name.replace(/^bound /, '') : '';
      const path = typeof route?.url === 'string' ? route.url : '';
      return {
        // Most handlers are anonymous functions.
        name: shortened(own || (path && `${request.raw.method} ${path}`) || '<anonymous>', MAX_NAME),
        kind: 'handler',
        route: shortened(path, MAX_NAME),
        framework: 'fastify',
      };
    },
    isEntered: true,
    isPending: (message) => message.async === true,
  }).handlers;
}
