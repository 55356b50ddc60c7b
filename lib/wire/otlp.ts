/**
 * Requests to export traces in OpenTelemetry's protocol, as JSON and as protobuf, and its description of a process.
 *
 * Source: opentelemetry-proto, trace/v1/trace.proto, common/v1/common.proto, resource/v1/resource.proto and
 * processcontext/v1development/process_context.proto. In JSON, ids are hexadecimal digits and 64-bit numbers are
 * strings.
 */
import type { Message } from './protobuf/message.ts';
import { MessageWriter } from './protobuf/message-writer.ts';

export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  /** A string if it is not finite. */
  | { readonly doubleValue: number | string }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } }
  | { readonly kvlistValue: { readonly values: readonly KeyValue[] } }
  /** The bytes are in base64. */
  | { readonly bytesValue: string };

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

export interface OtlpEvent {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly KeyValue[];
}

export const SpanKind = { Internal: 1, Server: 2, Client: 3, Producer: 4, Consumer: 5 } as const;
export const StatusCode = { Unset: 0, Error: 2 } as const;

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** It is absent for a root. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly OtlpEvent[];
  readonly droppedEventsCount: number;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly message?: string; readonly code: number };
}

interface ScopeSpans {
  readonly scope: { readonly name: string };
  readonly spans: readonly OtlpSpan[];
}

export interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly ScopeSpans[];
  }[];
}

export const ANY_VALUE: Message = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int'],
  doubleValue: [4, 'double'],
  arrayValue: [5, () => ARRAY_VALUE],
  kvlistValue: [6, () => KVLIST_VALUE],
  bytesValue: [7, 'base64'],
};
const ARRAY_VALUE: Message = { values: [1, () => ANY_VALUE] };
const KVLIST_VALUE: Message = { values: [1, () => KEY_VALUE] };
const KEY_VALUE: Message = { key: [1, 'string'], value: [2, () => ANY_VALUE] };
const EVENT: Message = {
  timeUnixNano: [1, 'fixed64'],
  name: [2, 'string'],
  attributes: [3, () => KEY_VALUE],
};
export const LINK: Message = { traceId: [1, 'hex'], spanId: [2, 'hex'] };
const STATUS: Message = { message: [2, 'string'], code: [3, 'int'] };
const SPAN: Message = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'int'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, () => KEY_VALUE],
  events: [11, () => EVENT],
  droppedEventsCount: [12, 'int'],
  links: [13, () => LINK],
  status: [15, () => STATUS],
};
export const SCOPE: Message = { name: [1, 'string'] };
const SCOPE_SPANS: Message = { scope: [1, () => SCOPE], spans: [2, () => SPAN] };
export const RESOURCE: Message = { attributes: [1, () => KEY_VALUE] };
const RESOURCE_SPANS: Message = {
  resource: [1, () => RESOURCE],
  scopeSpans: [2, () => SCOPE_SPANS],
};
const REQUEST: Message = { resourceSpans: [1, () => RESOURCE_SPANS] };

const PROCESS_CONTEXT: Message = { resource: [1, () => RESOURCE] };

/** What a process publishes in its own memory for profilers. */
export function encodeProcessContext(attributes: readonly KeyValue[]): Uint8Array {
  const writer = new MessageWriter();
  writer.message({ resource: { attributes } }, PROCESS_CONTEXT);
  return writer.current();
}

/** Concatenated requests are one request with the spans of all. */
export function encodeRequest(request: OtlpRequest): Uint8Array {
  const writer = new MessageWriter();
  writer.message(request, REQUEST);
  return writer.current();
}
