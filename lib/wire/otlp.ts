/**
 * Requests to export traces in OpenTelemetry's protocol, as JSON and as protobuf.
 *
 * Source: opentelemetry-proto, trace/v1/trace.proto, common/v1/common.proto and resource/v1/resource.proto. In JSON,
 * ids are hexadecimal digits and 64-bit numbers are strings.
 */

export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  /** A string if it is not finite. */
  | { readonly doubleValue: number | string }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } }
  | { readonly kvlistValue: { readonly values: readonly KeyValue[] } }
  /** In base64. */
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
  /** Absent for a root. */
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

export interface ScopeSpans {
  readonly scope: { readonly name: string };
  readonly spans: readonly OtlpSpan[];
}

export interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly ScopeSpans[];
  }[];
}

type Scalar = 'string' | 'hex' | 'base64' | 'bool' | 'int' | 'fixed64' | 'double';
/** The number and type of each field of a message. */
interface Message {
  readonly [field: string]: readonly [number: number, type: Scalar | (() => Message)];
}

const ANY_VALUE: Message = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int'],
  doubleValue: [4, 'double'],
  arrayValue: [5, () => ({ values: [1, () => ANY_VALUE] })],
  kvlistValue: [6, () => ({ values: [1, () => KEY_VALUE] })],
  bytesValue: [7, 'base64'],
};
const KEY_VALUE: Message = { key: [1, 'string'], value: [2, () => ANY_VALUE] };
const EVENT: Message = {
  timeUnixNano: [1, 'fixed64'],
  name: [2, 'string'],
  attributes: [3, () => KEY_VALUE],
};
const LINK: Message = { traceId: [1, 'hex'], spanId: [2, 'hex'] };
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
const SCOPE_SPANS: Message = { scope: [1, () => ({ name: [1, 'string'] })], spans: [2, () => SPAN] };
const RESOURCE_SPANS: Message = {
  resource: [1, () => ({ attributes: [1, () => KEY_VALUE] })],
  scopeSpans: [2, () => SCOPE_SPANS],
};
const REQUEST: Message = { resourceSpans: [1, () => RESOURCE_SPANS] };

const VARINT = 0;
const FIXED_64 = 1;
const COUNTED = 2;

/** Concatenated requests are one request with the spans of all. */
export function encodeRequest(request: OtlpRequest): Uint8Array {
  return encodeMessage(request, REQUEST);
}

function encodeMessage(message: object, fields: Message): Buffer {
  const parts: Uint8Array[] = [];
  for (const [name, value] of Object.entries(message)) {
    const field = fields[name];
    if (field === undefined || value === undefined) continue;
    const [number, type] = field;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof type === 'string') parts.push(...encodeScalar(number, type, item));
      else parts.push(...counted(number, encodeMessage(item, type())));
    }
  }
  return Buffer.concat(parts);
}

function encodeScalar(number: number, type: Scalar, value: unknown): Uint8Array[] {
  switch (type) {
    case 'string':
      return counted(number, Buffer.from(String(value)));
    case 'hex':
    case 'base64':
      return counted(number, Buffer.from(String(value), type));
    case 'bool':
    case 'int':
      return [key(number, VARINT), varint(BigInt(value as number | string | boolean))];
    case 'fixed64': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value as string)));
      return [key(number, FIXED_64), bytes];
    }
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return [key(number, FIXED_64), bytes];
    }
  }
}

function counted(number: number, bytes: Uint8Array): Uint8Array[] {
  return [key(number, COUNTED), varint(BigInt(bytes.length)), bytes];
}

function key(number: number, wireType: number): Uint8Array {
  return varint(BigInt((number << 3) | wireType));
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  while (left > 0x7fn) {
    bytes.push(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Uint8Array.from(bytes);
}
