/** An OpenTelemetry span as a Common Schema event `Span`. */
import { type Attributes, type SpanContext, SpanStatusCode } from '@opentelemetry/api';
import { boundedCopy, cut } from '../../logs/bounded.ts';
import {
  attributeField,
  type CommonSchemaEvents,
  type CommonSchemaParts,
  type Fields,
  timeText,
} from '../../logs/common-schema.ts';
import { Level } from '../../source/constants.ts';

/** The members used of an ended span, of OpenTelemetry's SDKs from 1.25 to 3. */
export interface CommonSchemaSpan {
  readonly name: string;
  readonly kind: number;
  readonly startTime: CommonSchemaParts['time'];
  readonly endTime: CommonSchemaParts['time'];
  readonly attributes: Attributes;
  readonly status: { readonly code: number; readonly message?: string };
  readonly links: readonly { readonly context: SpanContext }[];
  readonly resource?: { readonly attributes?: Attributes };
  /** SDK 1 has this; 2 and later have the context. */
  readonly parentSpanId?: string;
  readonly parentSpanContext?: { readonly spanId: string };
  spanContext(): SpanContext;
}

const MAX_TEXT = 500;
const MAX_ATTRIBUTES = 4500;
const MAX_LINKS = 10;

/** The fields of PartB by OpenTelemetry's names: the current ones and their predecessors. */
const KNOWN_ATTRIBUTES = {
  'db.system.name': 'dbSystem',
  'db.system': 'dbSystem',
  'db.namespace': 'dbName',
  'db.name': 'dbName',
  'db.query.text': 'dbStatement',
  'db.statement': 'dbStatement',
  'http.request.method': 'httpMethod',
  'http.method': 'httpMethod',
  'url.full': 'httpUrl',
  'http.url': 'httpUrl',
  'http.response.status_code': 'httpStatusCode',
  'http.status_code': 'httpStatusCode',
  'messaging.system': 'messagingSystem',
  'messaging.destination.name': 'messagingDestination',
  'messaging.destination': 'messagingDestination',
  'messaging.url': 'messagingUrl',
};

export function writeSpan(events: CommonSchemaEvents, span: CommonSchemaSpan): void {
  const { traceId, spanId } = span.spanContext();
  const { status, links, resource } = span;
  const attributes = { ...boundedCopy(span.attributes, MAX_ATTRIBUTES) };
  const fields: Fields = {
    name: ['string', cut(span.name, MAX_TEXT)],
    parentId: ['string', span.parentSpanContext?.spanId ?? span.parentSpanId ?? ''],
    startTime: ['string', timeText(span.startTime)],
    success: ['bool', status.code !== SpanStatusCode.ERROR],
    kind: ['uint32', span.kind],
  };
  if (status.message) fields.statusMessage = ['string', cut(status.message, MAX_TEXT)];
  if (links.length > 0) fields.links = ['string', linksText(links)];
  for (const [name, known] of Object.entries(KNOWN_ATTRIBUTES)) {
    const value = attributes[name];
    if (value === undefined || known in fields) continue;
    fields[known] = attributeField(value);
    delete attributes[name];
  }
  events.write('Span', Level.Informational, {
    time: span.endTime,
    traceId,
    spanId,
    role: resource?.attributes?.['service.name'],
    roleInstance: resource?.attributes?.['service.instance.id'],
    fields,
    attributes,
  });
}

function linksText(links: CommonSchemaSpan['links']): string {
  return JSON.stringify(
    links
      .slice(0, MAX_LINKS)
      .map(({ context }) => ({ toTraceId: context.traceId, toSpanId: context.spanId })),
  );
}
