/** The route of a request, where a framework leaves it on the request: `/users/:id`, for all users. */
import { shortened } from '../runtime/exception-fields.ts';

const MAX_ROUTE = 500;

/** As Express and what is built like it has it. Empty where there is none. */
export function routeOf(request: object): string {
  const { route, baseUrl } = request as {
    readonly route?: { readonly path?: unknown };
    readonly baseUrl?: unknown;
  };
  const path = route?.path;
  if (typeof path !== 'string') return '';
  return shortened(typeof baseUrl === 'string' ? joined(baseUrl, path) : path, MAX_ROUTE);
}

/** `/api` and `/` are `/api`. */
function joined(base: string, path: string): string {
  return base !== '' && path === '/' ? base : base + path;
}
