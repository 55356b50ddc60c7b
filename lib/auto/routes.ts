/** The routes of open requests to servers: the patterns that all similar requests share, such as `/users/:id`. */
import type { Activity } from '../activity/activity.ts';
import { sharedActivities } from '../activity/shared.ts';
import { shortened } from '../base/thrown-fields.ts';
import type { ChannelHandlers } from './channels.ts';

export const MAX_ROUTE = 500;

/** Sets the route of the request that is the activity, or that encloses it. */
export function setRouteOf(activity: Activity | undefined, route: string): void {
  let request = activity;
  while (request !== undefined && request.route === undefined) request = request.creator;
  if (request !== undefined) request.route = shortened(route, MAX_ROUTE);
}

export function setRouteOfRunning(route: string): void {
  setRouteOf(sharedActivities().flow.context?.activity, route);
}

interface HandlerMessage {
  readonly event?: { readonly context?: { readonly matchedRoute?: { readonly route?: unknown } } };
}

/** Learns the routes of h3, whose plugin `h3/tracing` publishes each call to a handler. */
export const H3_ROUTES: ChannelHandlers = {
  'tracing:h3.request:start': ({ event }: HandlerMessage) => {
    const route = event?.context?.matchedRoute?.route;
    if (typeof route === 'string') setRouteOfRunning(route);
  },
};
