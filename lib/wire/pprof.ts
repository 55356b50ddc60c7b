/**
 * Profiles of pprof, without the gzip around them.
 *
 * Source: google/pprof, proto/profile.proto. Texts are indices into the table of strings, whose first is empty; ids are
 * not 0.
 */
import type { Message } from './protobuf/message.ts';
import { MessageWriter } from './protobuf/message-writer.ts';

interface PprofValueType {
  readonly type: number;
  readonly unit: number;
}

export interface PprofSample {
  /** The leaf first. */
  readonly locationId: readonly number[];
  /** One for each type of the profile. */
  readonly value: readonly number[];
  readonly label: readonly { readonly key: number; readonly str: number }[];
}

interface PprofProfile {
  readonly sampleType: readonly PprofValueType[];
  readonly sample: readonly PprofSample[];
  readonly location: readonly {
    readonly id: number;
    readonly line: readonly { readonly functionId: number; readonly line: number }[];
  }[];
  readonly function: readonly {
    readonly id: number;
    readonly name: number;
    readonly systemName: number;
    readonly filename: number;
    readonly startLine: number;
  }[];
  readonly stringTable: readonly string[];
  readonly timeNanos: bigint;
  readonly durationNanos: number;
  readonly periodType: PprofValueType;
  readonly period: number;
  readonly defaultSampleType: number;
}

const VALUE_TYPE: Message = { type: [1, 'int'], unit: [2, 'int'] };
const LABEL: Message = { key: [1, 'int'], str: [2, 'int'] };
const SAMPLE: Message = {
  locationId: [1, 'uint', 'packed'],
  value: [2, 'int', 'packed'],
  label: [3, () => LABEL, 'repeated'],
};
const LINE: Message = { functionId: [1, 'uint'], line: [2, 'int'] };
const LOCATION: Message = { id: [1, 'uint'], line: [4, () => LINE, 'repeated'] };
const FUNCTION: Message = {
  id: [1, 'uint'],
  name: [2, 'int'],
  systemName: [3, 'int'],
  filename: [4, 'int'],
  startLine: [5, 'int'],
};
const PROFILE: Message = {
  sampleType: [1, () => VALUE_TYPE, 'repeated'],
  sample: [2, () => SAMPLE, 'repeated'],
  location: [4, () => LOCATION, 'repeated'],
  function: [5, () => FUNCTION, 'repeated'],
  stringTable: [6, 'string', 'repeated'],
  timeNanos: [9, 'int'],
  durationNanos: [10, 'int'],
  periodType: [11, () => VALUE_TYPE],
  period: [12, 'int'],
  defaultSampleType: [14, 'int'],
};

export function encodePprof(profile: PprofProfile): Uint8Array {
  const writer = new MessageWriter();
  writer.message(profile, PROFILE);
  return writer.current();
}
