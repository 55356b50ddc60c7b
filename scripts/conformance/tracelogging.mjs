/**
 * Conformance of `tracelogging/encode.jsonl`: event specifications with what Microsoft's traceloggingdynamic
 * (Python) passed to ETW for them: provider GUID and traits, event descriptor, event metadata, payload. The
 * decoder must find name, tag and fields in the same bytes.
 *
 * A specification names functions of that library, one for each type and out type, some of which no field type
 * of tracewright's has; so the types stand here, and values are written by the library's writers.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Channel, encodeEventDescriptor } from '../../dist/wire/etw/event-descriptor.js';
import { writeGuid } from '../../dist/wire/etw/values.js';
import { guidBytes } from '../../dist/wire/guid.js';
import { writeBool32, writeUtf16 as writeTerminatedUtf16 } from '../../dist/wire/manifest/values.js';
import { providerGuid } from '../../dist/wire/provider-guid.js';
import { scratch } from '../../dist/wire/scratch.js';
import { InType } from '../../dist/wire/tracelogging/constants.js';
import { decodeTraceLogging } from '../../dist/wire/tracelogging/decode.js';
import { encodeMetadata } from '../../dist/wire/tracelogging/metadata.js';
import { encodeProviderTraits } from '../../dist/wire/tracelogging/provider-traits.js';
import { writeUtf16 } from '../../dist/wire/tracelogging/values.js';
import { writeBinary } from '../../dist/wire/values/binary.js';
import { array } from '../../dist/wire/values/composite.js';
import { takeFaults } from '../../dist/wire/values/faults.js';
import * as numbers from '../../dist/wire/values/numbers.js';

export const name = 'tracelogging';

/** The library's default level and keyword. */
const DESCRIPTOR = { id: 0, version: 0, level: 5, opcode: 0, task: 0, keywords: 1n };

/** By the name of the function, without `add_` and what says how it takes its value. */
const TYPES = {
  uint8: [InType.UInt8, numbers.writeUint8],
  uint16: [InType.UInt16, numbers.writeUint16],
  int32: [InType.Int32, numbers.writeInt32],
  uint32: [InType.UInt32, numbers.writeUint32],
  uint64: [InType.UInt64, numbers.writeUint64],
  uintptr: [InType.UInt64, numbers.writeUint64],
  hexint64: [InType.HexInt64, numbers.writeUint64],
  bool32: [InType.Bool32, (offset, value) => writeBool32(offset, value === 1)],
  float32: [InType.Float, numbers.writeFloat],
  guid: [InType.Guid, writeGuid],
  zstr16: [InType.UnicodeString, writeTerminatedUtf16],
  str16: [InType.CountedString, writeUtf16],
  binary: [InType.Binary, writeBinary],
  cbinary: [InType.CountedBinary, writeBinary],
  // Bytes that tell their own length, or have one.
  systemtime: [InType.SystemTime, writeBytes],
  sid: [InType.Sid, writeBytes],
};

export function applies(dir) {
  return existsSync(join(dir, 'tracelogging', 'encode.jsonl'));
}

export function run(dir, report) {
  const lines = readFileSync(join(dir, 'tracelogging', 'encode.jsonl'), 'utf8')
    .trim()
    .split('\n');
  lines.forEach((line, index) => {
    const expected = JSON.parse(exactIntegers(line));
    const id = `encode/${index}-${expected.input.event}`;
    report.try(id, () =>
      report.compare(id, JSON.stringify(encode(expected)), JSON.stringify(shown(expected))),
    );
  });
}

function encode({ input, event_meta: metadata, data }) {
  const fields = (input.fields ?? []).map(readField);
  const guid = input.provider_id ?? providerGuid(input.provider);
  const decoded = decodeTraceLogging(Buffer.from(metadata, 'hex'), Buffer.from(data, 'hex'));
  return {
    guid,
    guidBytes: hex(guidBytes(guid)),
    traits: hex(encodeProviderTraits({ name: input.provider })),
    descriptor: hex(encodeEventDescriptor({ ...DESCRIPTOR, channel: Channel.TraceLogging })),
    metadata: hex(
      encodeMetadata(
        input.event,
        input.tag ?? 0,
        fields.map((field) => field.metadata),
      ),
    ),
    payload: fields.map(payloadHex).join(''),
    decoded: [decoded.name, decoded.tag, ...decoded.fields.map((field) => field.name)],
  };
}

function shown(expected) {
  const { input } = expected;
  return {
    guid: expected.provider_guid,
    guidBytes: expected.provider_guid_bytes_le,
    traits: expected.provider_meta,
    descriptor: expected.descriptor,
    metadata: expected.event_meta,
    payload: expected.data,
    decoded: [input.event, input.tag ?? 0, ...(input.fields ?? []).map(([, field]) => field)],
  };
}

/** `["add_uint8_seq", "name", [1, 2], { "out_type": 2 }]` */
function readField([call, fieldName, value, options]) {
  const [, type, isArray] = /^add_([a-z0-9]+?)(?:_bytes)?(_seq)?$/.exec(call);
  const [inType, write] = TYPES[type];
  return {
    metadata: { name: fieldName, inType, outType: options?.out_type, ...(isArray && { array: 'variable' }) },
    write: isArray ? array(write) : write,
    value: isArray ? value.map(readValue) : readValue(value),
  };
}

function readValue(value) {
  if (value.guid !== undefined) return value.guid;
  if (value.hex !== undefined) return Uint8Array.from(Buffer.from(value.hex, 'hex'));
  return value.bigint === undefined ? value : BigInt(value.bigint);
}

function payloadHex({ write, value }) {
  const end = write(0, value);
  if (takeFaults() !== undefined) throw new Error(`The value ${value} does not fit.`);
  return hex(scratch.subarray(0, end));
}

function writeBytes(offset, bytes) {
  scratch.set(bytes, offset);
  return offset + bytes.length;
}

/** JSON.parse would round integers of more than 15 digits. */
function exactIntegers(line) {
  return line.replaceAll(/(?<=[[ ,])\d{16,}(?=[\],])/g, '{"bigint":"$&"}');
}

function hex(bytes) {
  return Buffer.from(bytes).toString('hex');
}
