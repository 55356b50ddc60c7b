/**
 * Conformance of the EventHeader encoder: `eventheader/encode.jsonl` contains event specifications with the
 * registration string and the bytes produced by Microsoft's C++ EventHeaderDynamic.
 *
 * A specification's values are raw bytes, some with encodings that no field type of tracewright has. So name,
 * definition, header, ids and metadata come from the library, values of its own types are written by its writers, and
 * only the other values are assembled here.
 */
import { Guid } from '../../dist/activity/guid.js';
import { Encoding, Format } from '../../dist/wire/eventheader/constants.js';
import { encodeMetadata } from '../../dist/wire/eventheader/metadata.js';
import { encodePrefix, setActivityIds } from '../../dist/wire/eventheader/prefix.js';
import { tracepointDefinition, tracepointName } from '../../dist/wire/eventheader/tracepoint-name.js';
import { scratch } from '../../dist/wire/scratch.js';
import { writeBinary, writeGuid } from '../../dist/wire/values/binary.js';
import * as numbers from '../../dist/wire/values/numbers.js';

const FORMATS = {
  default: Format.Default,
  unsigned_int: Format.UnsignedInt,
  signed_int: Format.SignedInt,
  hex_int: Format.HexInt,
  errno: Format.Errno,
  pid: Format.Pid,
  time: Format.Time,
  boolean: Format.Boolean,
  float: Format.Float,
  hex_bytes: Format.HexBytes,
  string8: Format.String8,
  string_utf: Format.StringUtf,
  string_utf_bom: Format.StringUtfBom,
  string_xml: Format.StringXml,
  string_json: Format.StringJson,
  uuid: Format.Uuid,
  port: Format.Port,
  ip_address: Format.IpAddress,
};

/** By kind, then by bytes per unit: value, counted string, string with NUL, counted binary. */
const ENCODINGS = {
  V: {
    1: Encoding.Value8,
    2: Encoding.Value16,
    4: Encoding.Value32,
    8: Encoding.Value64,
    16: Encoding.Value128,
  },
  S: {
    1: Encoding.StringLength16Char8,
    2: Encoding.StringLength16Char16,
    4: Encoding.StringLength16Char32,
  },
  Z: { 1: Encoding.ZStringChar8, 2: Encoding.ZStringChar16, 4: Encoding.ZStringChar32 },
  B: { 1: Encoding.BinaryLength16Char8 },
};

/** The library's writer for a value with these raw bytes, and the value. */
const WRITERS = {
  [Encoding.Value8]: (bytes) => [numbers.writeUint8, bytes.readUInt8()],
  [Encoding.Value16]: (bytes) => [numbers.writeUint16, bytes.readUInt16LE()],
  [Encoding.Value32]: (bytes) => [numbers.writeUint32, bytes.readUInt32LE()],
  [Encoding.Value64]: (bytes) => [numbers.writeUint64, bytes.readBigUInt64LE()],
  [Encoding.Value128]: (bytes) => [writeGuid, bytes],
  [Encoding.BinaryLength16Char8]: (bytes) => [writeBinary, bytes],
};

export function runEncodeCase(specification, report) {
  const { id, provider, group, level, keyword, hex, register } = specification;
  report.try(`encode/${id}`, () => {
    const tracepoint = tracepointName(provider, level, BigInt(keyword), group);
    report.compare(`encode/${id}/registration`, tracepointDefinition(tracepoint), register);
    report.compare(`encode/${id}/bytes`, encode(specification).toString('hex'), hex);
  });
}

function encode({ event, eid, version, tag, opcode, level, aid, rid, fields }) {
  const header = { id: eid, version, tag, opcode, level };
  const metadata = encodeMetadata(event, fields.map(fieldMetadata));
  const [activityId, relatedId] = [aid, rid].map(
    (text) => text && Guid.parse(text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
  );
  const prefix = encodePrefix(header, activityId ? (relatedId ? 32 : 16) : 0, metadata);
  if (activityId) setActivityIds(new DataView(prefix.buffer), 0, activityId, relatedId ?? undefined);
  return Buffer.concat([prefix, ...fields.map(payload)]);
}

function fieldMetadata({ kind, name, tag, size, format, fields }) {
  if (kind === 'ST') {
    return { name, encoding: Encoding.Struct, tag, fields: fields.map(fieldMetadata) };
  }
  const metadata = { name, encoding: ENCODINGS[kind[0]][size], format: FORMATS[format], tag };
  return kind.endsWith('R') ? { ...metadata, array: 'variable' } : metadata;
}

function payload({ kind, size, values: elements, fields }) {
  if (kind === 'ST') return Buffer.concat(fields.map(payload));
  const encoding = ENCODINGS[kind[0]][size];
  const bytes = elements.map((element) => elementBytes(encoding, kind[0], size, Buffer.from(element, 'hex')));
  return Buffer.concat(kind.endsWith('R') ? [uint16(elements.length), ...bytes] : bytes);
}

function elementBytes(encoding, kind, size, bytes) {
  const writer = WRITERS[encoding];
  if (writer !== undefined) {
    const [write, value] = writer(bytes);
    return Buffer.from(scratch.subarray(0, write(0, value)));
  }
  if (kind === 'S') return Buffer.concat([uint16(bytes.length / size), bytes]);
  return Buffer.concat([untilNul(bytes, size), Buffer.alloc(size)]);
}

/** A NUL-terminated string contains no other NUL unit. */
function untilNul(bytes, size) {
  for (let offset = 0; offset < bytes.length; offset += size) {
    if (bytes.subarray(offset, offset + size).every((byte) => byte === 0)) return bytes.subarray(0, offset);
  }
  return bytes;
}

function uint16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
