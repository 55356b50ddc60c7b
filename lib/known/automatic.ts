/**
 * tracewright's own providers and their keywords, and OpenTelemetry's names for the fields of automatic activities: the stable names of its
 * semantic conventions.
 */

import { ACTIVITY_RUN } from '../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../activity/switches.ts';

const OWN_PROVIDERS = [
  'Node.Database',
  'Node.Http',
  'Node.Logs',
  'Node.Middleware',
  'Node.Module',
  'Node.Net',
  'Node.Process',
  'Node.Runtime',
] as const;

/** The keywords of `Node.Runtime`. GC, Exceptions and Threading have the same bits as in .NET's runtime provider. */
export const RuntimeKeywords = {
  GC: 0x1n,
  Heap: 0x2n,
  EventLoop: 0x4n,
  Resources: 0x8n,
  /** Its level is above Verbose: only those who ask for it get it. */
  ActivitySwitches: ACTIVITY_SWITCH.keyword,
  /** Its level is above Verbose, too. */
  ActivityRuns: ACTIVITY_RUN.keyword,
  /** Its level is above Verbose, too. */
  ActivityCode: 0x40n,
  /** Only sessions with the argument `PendingWork=1` cause it. */
  PendingWork: 0x80n,
  /** Its level is above Verbose, too. */
  ThreadPool: 0x100n,
  Exceptions: 0x8000n,
  Threading: 0x10000n,
} as const;

/** The names of a provider's keywords, where its definition is elsewhere; undefined for all providers but our own. */
export function knownKeywords(provider: string): Readonly<Record<string, bigint>> | undefined {
  if (provider === 'Node.Runtime') return RuntimeKeywords;
  // The others of ours have no keywords.
  return OWN_PROVIDERS.some((own) => own === provider) ? {} : undefined;
}

/** @returns a sentence if a session would wait in vain for a provider of this name, since it means one of these */
export function wrongCaseOf(name: string): string | undefined {
  const meant = OWN_PROVIDERS.find((own) => own !== name && own.toLowerCase() === name.toLowerCase());
  return meant && `There is no ${name}: names of providers are case-sensitive, and this one is ${meant}.`;
}

const SERVER = { host: 'server.address', port: 'server.port' } as const;

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Node.Http': {
    ...SERVER,
    method: 'http.request.method',
    scheme: 'url.scheme',
    statusCode: 'http.response.status_code',
    grpcStatus: 'rpc.grpc.status_code',
    route: 'http.route',
    errorType: 'error.type',
    errorStack: 'exception.stacktrace',
  },
  'Node.Database': {
    ...SERVER,
    text: 'db.query.text',
    operation: 'db.operation.name',
    size: 'db.operation.batch.size',
    system: 'db.system.name',
    namespace: 'db.namespace',
    errorType: 'error.type',
    errorStack: 'exception.stacktrace',
  },
};

/** The payload with those names, without empty values; payloads of other providers are returned unchanged. */
export function conventionalFields(provider: string, payload: object): object {
  const names = NAMES[provider];
  if (names === undefined) return payload;
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(payload)) {
    if (value === '' || (value === -1 && (name === 'statusCode' || name === 'grpcStatus'))) continue;
    if (name === 'pathAndQuery' && typeof value === 'string') {
      const [path = '', ...query] = value.split('?');
      fields['url.path'] = path;
      if (query.length > 0) fields['url.query'] = query.join('?');
    } else fields[names[name] ?? name] = value;
  }
  return fields;
}
