/**
 * Conformance with `tracelogging/encode.jsonl`: event specifications with what Microsoft's traceloggingdynamic (Python)
 * passed to ETW for them: provider GUID and traits, event descriptor, event metadata, payload. The decoder must find
 * name, tag and fields in the same bytes.
 *
 * A specification names functions of that library, all of which are here. Some have types that no field type of
 * tracewright has; so the types are defined here, and the library's writers write the values.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Channel, encodeEventDescriptor } from '../../dist/wire/etw/event-descriptor.js';
import { writeGuid } from '../../dist/wire/etw/values.js';
import { guidBytes } from '../../dist/wire/guid.js';
import { writeUtf16 as writeTerminatedUtf16 } from '../../dist/wire/manifest/values.js';
import { providerGuid } from '../../dist/wire/provider-guid.js';
import { scratch } from '../../dist/wire/scratch.js';
import { InType, OutType } from '../../dist/wire/tracelogging/constants.js';
import { writeUtf16 } from '../../dist/wire/tracelogging/field-layouts.js';
import { encodeMetadata } from '../../dist/wire/tracelogging/metadata.js';
import { encodeProviderTraits } from '../../dist/wire/tracelogging/provider-traits.js';
import { writeBinary } from '../../dist/wire/values/binary.js';
import { array } from '../../dist/wire/values/composite.js';
import { takeFaults } from '../../dist/wire/values/faults.js';
import * as numbers from '../../dist/wire/values/numbers.js';
import { loadTestModule } from '../../scripts/lib/test-module.mjs';

const { decodeTraceLogging } = await loadTestModule('test/wire/tracelogging/decode-event.ts');

export const name = 'tracelogging';

/** The library's defaults. */
const DESCRIPTOR = { id: 0, version: 0, channel: Channel.TraceLogging, level: 5, opcode: 0, task: 0 };
const DEFAULT_KEYWORD = 1n;

/** By the function's name without `add_` and `_seq`: InType, writer, and the OutType if none is given. */
const TYPES = {
  // The library silently ends a text at its first NUL; tracewright counts it as a bad value.
  zstr16: [InType.UnicodeString, (offset, text) => writeTerminatedUtf16(offset, text.split('\0', 1)[0])],
  zstr16_bytes_utf16le: [InType.UnicodeString, (offset, bytes) => writeTerminated(offset, bytes, 2)],
  zstr8: [InType.AnsiString, (offset, text) => writeTerminated(offset, Buffer.from(text), 1), OutType.Utf8],
  zstr8_bytes: [InType.AnsiString, (offset, bytes) => writeTerminated(offset, bytes, 1)],
  int8: [InType.Int8, numbers.writeInt8],
  uint8: [InType.UInt8, numbers.writeUint8],
  int16: [InType.Int16, numbers.writeInt16],
  uint16: [InType.UInt16, numbers.writeUint16],
  int32: [InType.Int32, numbers.writeInt32],
  uint32: [InType.UInt32, numbers.writeUint32],
  int64: [InType.Int64, numbers.writeInt64],
  uint64: [InType.UInt64, numbers.writeUint64],
  intptr: [InType.Int64, numbers.writeInt64],
  uintptr: [InType.UInt64, numbers.writeUint64],
  float32: [InType.Float, numbers.writeFloat],
  float64: [InType.Double, numbers.writeDouble],
  bool32: [InType.Bool32, (offset, value) => numbers.writeInt32(offset, Number(value))],
  binary_bytes: [InType.Binary, writeBinary],
  guid: [InType.Guid, (offset, value) => (typeof value === 'string' ? writeGuid : writeBytes)(offset, value)],
  guid_bytes_le: [InType.Guid, writeBytes],
  filetime_int64: [InType.FileTime, numbers.writeInt64],
  // Bytes that contain their own length, or have one.
  systemtime_bytes: [InType.SystemTime, writeBytes],
  sid_bytes: [InType.Sid, writeBytes],
  hexint32: [InType.HexInt32, numbers.writeUint32],
  hexint64: [InType.HexInt64, numbers.writeUint64],
  hexintptr: [InType.HexInt64, numbers.writeUint64],
  str16: [InType.CountedString, writeUtf16],
  str16_bytes_utf16le: [InType.CountedString, writeBinary],
  str8: [InType.CountedAnsiString, (offset, text) => writeBinary(offset, Buffer.from(text)), OutType.Utf8],
  str8_bytes: [InType.CountedAnsiString, writeBinary],
  cbinary_bytes: [InType.CountedBinary, writeBinary],
};

/** A function that a case abbreviates: binary values only have bytes. */
const SHORT_NAMES = { binary: 'binary_bytes', cbinary: 'cbinary_bytes', filetime: 'filetime_int64' };

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
  const calls = [...(input.fields ?? [])];
  const fields = [];
  while (calls.length > 0) fields.push(readField(calls));
  const guid = input.provider_id ?? providerGuid(input.provider);
  const decoded = decodeTraceLogging(Buffer.from(metadata, 'hex'), Buffer.from(data, 'hex'));
  const groupGuid = groupOf(input);
  return {
    guid,
    guidBytes: hex(guidBytes(guid)),
    traits: hex(
      encodeProviderTraits({ name: input.provider, ...(groupGuid === undefined ? {} : { groupGuid }) }),
    ),
    descriptor: hex(encodeEventDescriptor(descriptorOf(input))),
    metadata: hex(inLibraryForm(input, fields)),
    payload: fields.map(payloadHex).join(''),
    decoded: [decoded.name, decoded.tag, ...decoded.fields.flatMap(headOf)],
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
    decoded: [
      input.event,
      input.tag ?? 0,
      ...(input.fields ?? []).flatMap(([, field, , options]) => [field, options?.tag ?? 0]),
    ],
  };
}

/**
 * The event's metadata with its tags in the library's form: 1, 2 or 4 bytes for an event, always 4 for a field.
 * Tracewright writes the minimum; readers accept both.
 */
function inLibraryForm({ event, tag = 0 }, fields) {
  const metadata = fields.map((field) => field.metadata);
  const [name, ...described] = [encodeMetadata(event, 0, []), ...metadata.map(fieldBytes)];
  const eventTag = (tag & 0x1fffff) === 0 ? tagBytes(tag, 1) : tagBytes(tag, (tag & 0x3fff) === 0 ? 2 : 4);
  // After the size and the tag 0.
  const bytes = Buffer.concat([Buffer.alloc(2), eventTag, name.subarray(3), ...described]);
  bytes.writeUInt16LE(bytes.length, 0);
  return bytes;
}

function fieldBytes(field) {
  const head = encodeMetadata('', 0, [
    { ...field, fields: field.fields?.map((member) => ({ ...member, fields: [] })) },
  ]);
  const ownSize = 4 + Buffer.byteLength(field.name) + 1;
  const typeSize = field.tag !== 0 || head[ownSize] > 0x7f ? 2 : 1;
  const own = Buffer.from(head.subarray(4, ownSize + typeSize));
  const tag = field.tag === 0 ? [] : tagBytes(field.tag, 4);
  return Buffer.concat([own, Buffer.from(tag), ...(field.fields ?? []).map(fieldBytes)]);
}

/** Seven bits per byte, the highest first, bit 7 set in all but the last. */
function tagBytes(tag, size) {
  return Buffer.from(
    [21, 14, 7, 0].slice(0, size).map((shift, i) => ((tag >>> shift) & 0x7f) | (i < size - 1 ? 0x80 : 0)),
  );
}

/** Name and tag of a decoded field, and of those in it. */
function headOf({ name: fieldName, tag, shape, value }) {
  return [fieldName, tag, ...(shape === 'struct' ? value.flatMap(headOf) : [])];
}

function groupOf({ group_id: groupId, provider_group: providerGroup, provider_group_id: providerGroupId }) {
  const group = groupId ?? providerGroupId ?? providerGroup;
  return group?.guid ?? group;
}

function descriptorOf(input) {
  const given = Object.keys(DESCRIPTOR).filter((key) => input[key] !== undefined);
  const keyword = readValue(input.keyword ?? input.keywords ?? DEFAULT_KEYWORD);
  return {
    ...DESCRIPTOR,
    ...Object.fromEntries(given.map((key) => [key, input[key]])),
    keywords: BigInt(keyword),
  };
}

/**
 * Takes the next field: `["add_uint8_seq", "name", [1, 2], { "out_type": 2, "tag": 1 }]`. For a struct, the value is
 * the number of following fields that belong to it.
 */
function readField(calls) {
  const [call, fieldName, value, options] = calls.shift();
  const tag = options?.tag ?? 0;
  if (call === 'add_struct') {
    const members = [];
    for (let left = Number(value); left > 0 && calls.length > 0; left--) members.push(readField(calls));
    const metadata = {
      name: fieldName,
      inType: InType.Struct,
      tag,
      fields: members.map((member) => member.metadata),
    };
    return { metadata, members };
  }
  const isArray = call.endsWith('_seq');
  const type = call.replace(/^add_/, '').replace(/_seq$/, '');
  const known = TYPES[SHORT_NAMES[type] ?? type] ?? TYPES[`${type}_bytes`];
  if (known === undefined) throw new Error(`There is no function ${call}.`);
  const [inType, write, defaultOutType] = known;
  return {
    metadata: {
      name: fieldName,
      inType,
      outType: options?.out_type ?? defaultOutType,
      tag,
      ...(isArray && { array: 'variable' }),
    },
    write: isArray ? array(write) : write,
    value: isArray ? value.map(readValue) : readValue(value),
  };
}

function readValue(value) {
  if (value?.guid !== undefined) return value.guid;
  if (value?.hex !== undefined) return Uint8Array.from(Buffer.from(value.hex, 'hex'));
  return value?.bigint === undefined ? value : BigInt(value.bigint);
}

function payloadHex({ write, value, members }) {
  if (members !== undefined) return members.map(payloadHex).join('');
  const end = write(0, value);
  if (takeFaults() !== undefined) throw new Error(`The value ${value} does not fit.`);
  return hex(scratch.subarray(0, end));
}

function writeBytes(offset, bytes) {
  scratch.set(bytes, offset);
  return offset + bytes.length;
}

/** Up to the first NUL of this many bytes, which is also written. */
function writeTerminated(offset, bytes, unitSize) {
  let end = 0;
  while (end + unitSize <= bytes.length && bytes.subarray(end, end + unitSize).some((byte) => byte !== 0)) {
    end += unitSize;
  }
  const behind = writeBytes(offset, bytes.subarray(0, end));
  return writeBytes(behind, new Uint8Array(unitSize));
}

/** JSON.parse would round integers of more than 15 digits. */
function exactIntegers(line) {
  return line.replaceAll(/(?<=[[ ,:])-?\d{16,}(?=[\],} ])/g, '{"bigint":"$&"}');
}

function hex(bytes) {
  return Buffer.from(bytes).toString('hex');
}
