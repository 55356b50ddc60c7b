/**
 * Requests to export traces in OpenTelemetry's protocol, as JSON and as protobuf.
 *
 * Source: opentelemetry-proto, trace/v1/trace.proto, common/v1/common.proto and resource/v1/resource.proto. In JSON,
 * ids are hexadecimal digits and 64-bit numbers are strings.
 */

import { ByteWriter, putVarUint } from '../base/byte-writer.ts';

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
const SCOPE: Message = { name: [1, 'string'] };
const SCOPE_SPANS: Message = { scope: [1, () => SCOPE], spans: [2, () => SPAN] };
const RESOURCE: Message = { attributes: [1, () => KEY_VALUE] };
const RESOURCE_SPANS: Message = {
  resource: [1, () => RESOURCE],
  scopeSpans: [2, () => SCOPE_SPANS],
};
const REQUEST: Message = { resourceSpans: [1, () => RESOURCE_SPANS] };

const VARINT = 0;
const FIXED_64 = 1;
const COUNTED = 2;

/** Concatenated requests are one request with the spans of all. */
export function encodeRequest(request: OtlpRequest): Uint8Array {
  const writer = new MessageWriter();
  writer.message(request, REQUEST);
  return writer.current();
}

/** Numbers with fewer digits are exact. */
const SAFE_DIGITS = 15;
/** Of a text in characters: its size takes one byte. */
const MAX_SHORT = 100;

class MessageWriter extends ByteWriter {
  message(message: object, fields: Message): void {
    for (const [name, value] of Object.entries(message)) {
      const field = fields[name];
      if (field === undefined || value === undefined) continue;
      const [number, type] = field;
      if (!Array.isArray(value)) this.#member(number, type, value);
      else for (const item of value) this.#member(number, type, item);
    }
  }

  #member(number: number, type: Scalar | (() => Message), value: unknown): void {
    if (typeof type === 'string') {
      this.#scalar(number, type, value);
      return;
    }
    this.#key(number, COUNTED);
    // Nearly all sizes take one byte.
    const start = this.grow(1);
    this.message(value as object, type());
    const size = this.length - start - 1;
    let others = 0;
    for (let left = size; left > 0x7f; left >>>= 7) others++;
    if (others > 0) {
      this.grow(others);
      this.buffer.copyWithin(start + 1 + others, start + 1, start + 1 + size);
    }
    putVarUint(this.buffer, start, size);
  }

  #scalar(number: number, type: Scalar, value: unknown): void {
    switch (type) {
      case 'string':
        this.#text(number, String(value), 'utf8');
        return;
      case 'hex':
      case 'base64':
        this.#text(number, String(value), type);
        return;
      case 'bool':
      case 'int': {
        this.#key(number, VARINT);
        const text = String(Number(value));
        if (Number(value) >= 0 && text.length <= SAFE_DIGITS) this.varUint(Number(value));
        else this.varUint64(BigInt(value as number | string));
        return;
      }
      case 'fixed64':
        this.#key(number, FIXED_64);
        this.uint64(BigInt(value as string));
        return;
      case 'double':
        this.#key(number, FIXED_64);
        this.double(Number(value));
    }
  }

  #text(number: number, text: string, encoding: 'utf8' | 'hex' | 'base64'): void {
    this.#key(number, COUNTED);
    if (encoding === 'utf8' && this.#ascii(text)) return;
    const size = Buffer.byteLength(text, encoding);
    this.varUint(size);
    const at = this.grow(size);
    this.buffer.write(text, at, encoding);
  }

  /** Two calls of Buffer take longer than a short loop. @returns whether it has been written */
  #ascii(text: string): boolean {
    const { length } = text;
    if (length > MAX_SHORT) return false;
    const at = this.grow(1 + length);
    this.buffer[at] = length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.length = at;
        return false;
      }
      this.buffer[at + 1 + i] = code;
    }
    return true;
  }

  #key(number: number, wireType: number): void {
    // The numbers of all fields are below 16.
    this.uint8((number << 3) | wireType);
  }
}
