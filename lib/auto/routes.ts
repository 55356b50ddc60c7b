/** The routes of open requests to servers: the patterns that all similar requests share, such as `/users/:id`. */
import type { Activity } from '../activity/activity.ts';
import { sharedActivities } from '../activity/shared.ts';
import { shortened } from '../base/thrown-fields.ts';
import type { ChannelHandlers } from './channels.ts';

export const MAX_ROUTE = 500;

export class Routes {
  readonly #byRequest = new WeakMap<Activity, string>();

  /** Begins a request, which has no route yet. */
  open(request: Activity): void {
    this.#byRequest.set(request, '');
  }

  /** Sets the route of the request that is the activity, or that encloses it; by default, the running code's. */
  set(route: string, activity = sharedActivities().flow.context?.activity): void {
    for (let request = activity; request !== undefined; request = request.creator) {
      if (!this.#byRequest.has(request)) continue;
      this.#byRequest.set(request, shortened(route, MAX_ROUTE));
      return;
    }
  }

  /** Returns an empty text if the request has none. */
  of(request: Activity): string {
    return this.#byRequest.get(request) ?? '';
  }
}

interface HandlerMessage {
  readonly event?: { readonly context?: { readonly matchedRoute?: { readonly route?: unknown } } };
}

/** Learns the routes of h3, whose plugin `h3/tracing` publishes each call to a handler. */
export function h3Routes(routes: Routes): ChannelHandlers {
  return {
    'tracing:h3.request:start': ({ event }: HandlerMessage) => {
      const route = event?.context?.matchedRoute?.route;
      if (typeof route === 'string') routes.set(route);
    },
  };
}
