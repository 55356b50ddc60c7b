/** Event fields, and what is known of a process, as OpenTelemetry attributes. */

import { serviceOf, UNKNOWN_SERVICE } from '../view/process-service.ts';
import type { Payload } from '../wire/decoded-field.ts';
import type { AnyValue, KeyValue } from '../wire/otlp.ts';
import type { ExportedTrace } from './exporter.ts';

/** The attributes are in field order; absent values are omitted. */
export function attributesOf(payload: object, without?: ReadonlySet<string>): KeyValue[] {
  const attributes: KeyValue[] = [];
  for (const key in payload) {
    const value = without?.has(key) ? undefined : anyValue(payload[key as keyof typeof payload]);
    if (value !== undefined) attributes.push({ key, value });
  }
  return attributes;
}

/** The resource that a process is. */
export function resourceAttributes(trace: ExportedTrace, processId: number | undefined): KeyValue[] {
  const name = serviceOf(trace, processId) ?? UNKNOWN_SERVICE;
  return attributesOf({ 'service.name': name, 'process.pid': processId, ...trace.resource });
}

function anyValue(value: Payload[string] | undefined): AnyValue | undefined {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      if (Number.isSafeInteger(value)) return { intValue: String(value) };
      return { doubleValue: Number.isFinite(value) ? value : String(value) };
    case 'bigint':
      return BigInt.asIntN(64, value) === value
        ? { intValue: String(value) }
        : { stringValue: String(value) };
    case 'object':
      if (value === null) return undefined;
      if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') };
      if (!Array.isArray(value)) return { kvlistValue: { values: attributesOf(value) } };
      return { arrayValue: { values: value.map((item) => anyValue(item) ?? { stringValue: '' }) } };
    default:
      return undefined;
  }
}
