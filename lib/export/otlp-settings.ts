/**
 * Where to send spans and profiles by OTLP over HTTP: OpenTelemetry's environment variables, unless the caller overrides them.
 *
 * Source: OpenTelemetry's specification, "OTLP Exporter Configuration" and "Resource".
 */
import type { OtlpTarget } from './otlp-sender.ts';

/** What overrides the environment. */
interface OtlpEndpoint {
  /** The collector: `http://localhost:4318`. A URL with a path is used unchanged. */
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const PATHS = { TRACES: 'v1/traces', PROFILES: 'v1development/profiles' } as const;
const PATH_OF_TRACES = /\/(?:v1\/traces)?$/;

/** @throws TypeError with a sentence for invalid settings */
export function otlpTarget(
  { url, headers }: OtlpEndpoint,
  environment: Environment = process.env,
  signal: keyof typeof PATHS = 'TRACES',
): OtlpTarget {
  /** The variable for the signal, otherwise the one for all signals. */
  const setting = (name: string) =>
    environment[`OTEL_EXPORTER_OTLP_${signal}_${name}`] ||
    environment[`OTEL_EXPORTER_OTLP_${name}`] ||
    undefined;
  const ownUrl = environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const encoding = choice<OtlpTarget['encoding']>('PROTOCOL', setting('PROTOCOL'), {
    'http/protobuf': 'protobuf',
    'http/json': 'json',
  });
  const compression = choice('COMPRESSION', setting('COMPRESSION'), { none: false, gzip: true });
  return {
    url:
      url === undefined && ownUrl
        ? parsedUrl(ownUrl)
        : signalUrl(parsedUrl(url ?? setting('ENDPOINT') ?? DEFAULT_URL), url === undefined, signal),
    headers: { ...pairs(setting('HEADERS') ?? ''), ...headers },
    encoding: encoding ?? 'protobuf',
    isCompressed: compression ?? false,
    timeout: timeoutOf(setting('TIMEOUT')),
  };
}

/** What the environment says about the service, as attributes of the resource. */
export function otlpResource(environment: Environment = process.env): Readonly<Record<string, string>> {
  const name = environment.OTEL_SERVICE_NAME;
  return { ...pairs(environment.OTEL_RESOURCE_ATTRIBUTES ?? ''), ...(name && { 'service.name': name }) };
}

function parsedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new TypeError(`A collector's URL must start with http:// or https://, not ${JSON.stringify(text)}.`);
}

/** @param isBase whether a path in the URL applies to all signals; otherwise, it is that of traces */
function signalUrl(url: URL, isBase: boolean, signal: keyof typeof PATHS): URL {
  if (url.pathname !== '/' && !isBase && signal === 'TRACES') return url;
  const complete = new URL(url);
  const base = url.pathname.replace(isBase ? /\/$/ : PATH_OF_TRACES, '');
  complete.pathname = `${base}/${PATHS[signal]}`;
  return complete;
}

function choice<Value>(
  name: string,
  text: string | undefined,
  values: Readonly<Record<string, Value>>,
): Value | undefined {
  if (text === undefined || Object.hasOwn(values, text)) return text === undefined ? undefined : values[text];
  const known = Object.keys(values).join(' or ');
  throw new TypeError(`OTEL_EXPORTER_OTLP_${name} must be ${known}, not ${JSON.stringify(text)}.`);
}

function timeoutOf(text: string | undefined): number {
  const timeout = /^\d{1,9}$/.test(text ?? '') ? Number(text) : 0;
  return timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS;
}

/** `key1=value1,key2=value2`, with values encoded as in URLs. Malformed pairs are omitted. */
function pairs(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    const key = pair.slice(0, equals).trim();
    if (equals <= 0 || key === '') continue;
    try {
      found[key] = decodeURIComponent(pair.slice(equals + 1).trim());
    } catch {
      // Violates the specification: a lone percent sign.
    }
  }
  return found;
}
