/** The fields of a request: the parts of its target, without what may be secret, and short enough for an event. */

import { type FailureFields, NO_FAILURE, shortened } from '../base/thrown-fields.ts';
import type { TraceFields } from '../source/activity-events.ts';
import type { RequestFields } from './sources.ts';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };
const MAX_HOST = 255;
const MAX_PATH = 2000;

/** The status if there is no response, as in .NET. */
export const NO_STATUS = -1;

interface HostAndPort {
  readonly scheme: string;
  readonly authority: string;
  readonly host: string;
  readonly port: number;
}

/** Most requests go to the same host. */
let last: HostAndPort | undefined;

/** Parses a host header or the authority of a URL: `example.com:8080`, `[::1]`. */
export function hostAndPort(authority: string, scheme: string): HostAndPort {
  if (last?.authority !== authority || last.scheme !== scheme) last = parsedAuthority(authority, scheme);
  return last;
}

function parsedAuthority(authority: string, scheme: string): HostAndPort {
  const colon = authority.lastIndexOf(':');
  // The colons of an IPv6 address are inside brackets, which are not part of it.
  const hasPort = colon >= 0 && !authority.endsWith(']');
  const host = hasPort ? authority.slice(0, colon) : authority;
  const port = hasPort ? Number(authority.slice(colon + 1)) : 0;
  return {
    scheme,
    authority,
    host: shortened(host.startsWith('[') ? host.slice(1, -1) : host, MAX_HOST),
    port: port > 0 && port <= 0xffff && Number.isInteger(port) ? port : (DEFAULT_PORTS[scheme] ?? 0),
  };
}

/** Returns the origin as in URLs: without the scheme's default port. */
export function originOf(scheme: string, host: string, port: number): string {
  const authority = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${authority}${port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}`;
}

/**
 * Queries contain keys and names: unless they are wanted, only their presence is shown, as in .NET 9 and later.
 *
 * @param target of a request; to a proxy, it may be a complete URL, of which only the path is shown
 */
export function pathAndQueryOf(target: string, hasQueries: boolean): string {
  const path = target.startsWith('/') || target === '*' ? target : pathOfUrl(target);
  const query = hasQueries ? -1 : path.indexOf('?');
  return shortened(query < 0 ? path : `${path.slice(0, query)}?*`, MAX_PATH);
}

function pathOfUrl(target: string): string {
  const authority = target.indexOf('://');
  if (authority < 0) return target;
  const path = target.indexOf('/', authority + '://'.length);
  return path < 0 ? '/' : target.slice(path);
}

/** The failure of a request whose connection ended before its response. */
export const ABORTED: FailureFields = { ...NO_FAILURE, errorType: 'aborted' };

/** What the first line of a request says. */
interface RequestLine {
  readonly path: string;
  readonly method: string;
  readonly versionMajor: number;
  readonly versionMinor: number;
}

export function requestFields(
  { path, method, versionMajor, versionMinor }: RequestLine,
  { host, port, scheme }: Pick<RequestFields, 'host' | 'port' | 'scheme'>,
  { traceId, spanId, parentSpanId }: TraceFields,
  { hasUrlQueries }: { readonly hasUrlQueries: boolean },
): RequestFields {
  return {
    pathAndQuery: pathAndQueryOf(path, hasUrlQueries),
    method,
    scheme,
    host,
    port,
    versionMajor,
    versionMinor,
    traceId,
    spanId,
    parentSpanId,
  };
}
