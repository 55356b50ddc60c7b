/** A span's name, kind and outcome according to OpenTelemetry's semantic conventions for HTTP and databases. */
import { conventionalFields } from '../known/automatic.ts';
import { SPAN_FIELDS } from '../view/spans.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import { SpanKind } from '../wire/otlp.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The properties of a span besides its attributes. */
export interface SpanSubject {
  name: string;
  kind: number | undefined;
  /** The instrumentation that created it, if different from the provider. */
  scope?: string;
  /** The message of an error, which may be empty. */
  failure?: string;
  links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

const KINDS: Readonly<Record<string, number>> = {
  internal: SpanKind.Internal,
  server: SpanKind.Server,
  client: SpanKind.Client,
  producer: SpanKind.Producer,
  consumer: SpanKind.Consumer,
};
const HTTP = 'Node.Http';
const DATABASE = 'Node.Database';
/** Fields of an OpenTelemetry span that are not attributes. */
const OWN_FIELDS = [
  'name',
  'kind',
  'scope',
  'success',
  'errorMessage',
  'attributes',
  'links',
  ...SPAN_FIELDS,
];
const OWN = new Set(OWN_FIELDS);

/** What is known at its Start. */
export function startedSubject(provider: string, task: string, fields: Fields): SpanSubject {
  const { method, operation, namespace, name, kind, scope } = fields;
  if (provider === HTTP) {
    return { name: text(method) ?? task, kind: task === 'Request' ? SpanKind.Server : SpanKind.Client };
  }
  if (provider === DATABASE) {
    const subject = text(operation) && [text(operation), text(namespace)].filter(Boolean).join(' ');
    return { name: subject ?? task, kind: SpanKind.Client };
  }
  if (!isSpan(task, fields)) return { name: task, kind: undefined };
  return { name: text(name) ?? task, kind: KINDS[String(kind)], scope: text(scope) ?? provider };
}

/** Adds the contents of its Stop. */
export function endSubject(
  subject: SpanSubject,
  { provider, isFailed }: Pick<TracedActivity, 'provider' | 'isFailed'>,
  fields: Fields,
): void {
  const { errorMessage, error, name, route, links } = fields;
  if (isFailed) subject.failure = text(errorMessage) ?? text(error) ?? '';
  if (provider === HTTP && text(route)) subject.name += ` ${route}`;
  if (subject.scope === undefined) return;
  subject.name = text(name) ?? subject.name;
  subject.links = listed(links);
}

/** The attributes of a span that an event starts or stops. */
export function spanFields(subject: SpanSubject, provider: string, fields: Fields): object {
  if (subject.scope === undefined) {
    const named = conventionalFields(provider, fields);
    // The convention for a failure without another name.
    const isUnnamed =
      subject.failure !== undefined && Number(fields.statusCode) > 0 && !text(fields.errorType);
    return isUnnamed ? { ...named, 'error.type': String(fields.statusCode) } : named;
  }
  const others = Object.entries(fields).filter(([key]) => !OWN.has(key));
  return { ...parsed(fields.attributes), ...Object.fromEntries(others) };
}

/** A span written by the span processor of `tracewright/opentelemetry-traces`. */
function isSpan(task: string, { kind, spanId, attributes }: Fields): boolean {
  return (
    task === 'Span' && Object.hasOwn(KINDS, String(kind)) && Boolean(text(spanId)) && attributes !== undefined
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A JSON field, which some formats store as text. */
function parsed(value: unknown): object {
  try {
    const members: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof members === 'object' && members !== null ? members : {};
  } catch {
    return {};
  }
}

function listed(value: unknown): NonNullable<SpanSubject['links']> {
  return Object.values(parsed(value)).flatMap((link) => {
    const { traceId, spanId } = parsed(link) as Fields;
    return typeof traceId === 'string' && typeof spanId === 'string' ? [{ traceId, spanId }] : [];
  });
}
