/**
 * Requests to export profiles in OpenTelemetry's protocol, as JSON and as protobuf.
 *
 * Source: opentelemetry-proto, profiles/v1development/profiles.proto, of version 1.11. The first entry of each table is
 * empty and stands for nothing. In JSON, ids are hexadecimal digits and 64-bit numbers are strings.
 */
import { ANY_VALUE, type AnyValue, type KeyValue, LINK, RESOURCE, SCOPE } from './otlp.ts';
import type { Message } from './protobuf/message.ts';
import { MessageWriter } from './protobuf/message-writer.ts';

interface OtlpValueType {
  readonly typeStrindex: number;
  readonly unitStrindex: number;
}

export interface OtlpSample {
  readonly stackIndex: number;
  readonly attributeIndices: readonly number[];
  readonly linkIndex: number;
  readonly values: readonly string[];
}

interface OtlpProfile {
  readonly sampleType: OtlpValueType;
  readonly samples: readonly OtlpSample[];
  readonly timeUnixNano: string;
  readonly durationNano: string;
  readonly periodType: OtlpValueType;
  readonly period: string;
}

interface ProfilesDictionary {
  readonly mappingTable: readonly object[];
  readonly locationTable: readonly {
    readonly lines?: readonly {
      readonly functionIndex: number;
      readonly line: string;
      readonly column: string;
    }[];
  }[];
  readonly functionTable: readonly {
    readonly nameStrindex?: number;
    readonly filenameStrindex?: number;
    readonly startLine?: string;
  }[];
  readonly linkTable: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly stringTable: readonly string[];
  readonly attributeTable: readonly { readonly keyStrindex?: number; readonly value?: AnyValue }[];
  /** The leaf first. */
  readonly stackTable: readonly { readonly locationIndices?: readonly number[] }[];
}

export interface OtlpProfilesRequest {
  readonly resourceProfiles: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeProfiles: readonly {
      readonly scope: { readonly name: string };
      readonly profiles: readonly OtlpProfile[];
    }[];
  }[];
  readonly dictionary: ProfilesDictionary;
}

const VALUE_TYPE: Message = { typeStrindex: [1, 'int'], unitStrindex: [2, 'int'] };
const SAMPLE: Message = {
  stackIndex: [1, 'int'],
  attributeIndices: [2, 'int', 'packed'],
  linkIndex: [3, 'int'],
  values: [4, 'int', 'packed'],
};
const PROFILE: Message = {
  sampleType: [1, () => VALUE_TYPE],
  samples: [2, () => SAMPLE, 'repeated'],
  timeUnixNano: [3, 'fixed64'],
  durationNano: [4, 'uint'],
  periodType: [5, () => VALUE_TYPE],
  period: [6, 'int'],
};
const SCOPE_PROFILES: Message = { scope: [1, () => SCOPE], profiles: [2, () => PROFILE, 'repeated'] };
const RESOURCE_PROFILES: Message = {
  resource: [1, () => RESOURCE],
  scopeProfiles: [2, () => SCOPE_PROFILES, 'repeated'],
};
const LINE: Message = { functionIndex: [1, 'int'], line: [2, 'int'], column: [3, 'int'] };
const LOCATION: Message = { lines: [3, () => LINE, 'repeated'] };
const FUNCTION: Message = {
  nameStrindex: [1, 'int'],
  filenameStrindex: [3, 'int'],
  startLine: [4, 'int'],
};
const ATTRIBUTE: Message = { keyStrindex: [1, 'int'], value: [2, () => ANY_VALUE] };
const STACK: Message = { locationIndices: [1, 'int', 'packed'] };
const DICTIONARY: Message = {
  mappingTable: [1, () => ({}), 'repeated'],
  locationTable: [2, () => LOCATION, 'repeated'],
  functionTable: [3, () => FUNCTION, 'repeated'],
  linkTable: [4, () => LINK, 'repeated'],
  stringTable: [5, 'string', 'repeated'],
  attributeTable: [6, () => ATTRIBUTE, 'repeated'],
  stackTable: [7, () => STACK, 'repeated'],
};
const REQUEST: Message = {
  resourceProfiles: [1, () => RESOURCE_PROFILES, 'repeated'],
  dictionary: [2, () => DICTIONARY],
};

/** Unlike those with spans, requests cannot be concatenated: each has its own dictionary. */
export function encodeProfiles(request: OtlpProfilesRequest): Uint8Array {
  const writer = new MessageWriter();
  writer.message(request, REQUEST);
  return writer.current();
}
