/**
 * The layout of event fields in a nettrace: their types in the metadata, and the functions that write values. Both
 * versions of the format use the same types as .NET's EventSource.
 */

import { writeFileTime, writeGuid } from '../wire/etw/values.ts';
import { addressInto, ipAddressText, MOST_ADDRESS_BYTES } from '../wire/ip-address.ts';
import { writeBool32, writeJson, writeUtf16 } from '../wire/manifest/values.ts';
import { TypeCode } from '../wire/nettrace/constants.ts';
import { fixedSize, type NetTraceField, type NetTraceType } from '../wire/nettrace/field-type.ts';
import type { ValueSchema } from '../wire/payload-writer.ts';
import type { FieldSchema, FieldType } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { writeBinary } from '../wire/values/binary.ts';
import { countBadValue, type ValueWriter } from '../wire/values/faults.ts';
import * as numbers from '../wire/values/numbers.ts';

interface FieldLayout {
  readonly type: NetTraceType;
  readonly write: ValueWriter;
}

const text = { code: TypeCode.Utf16Text };
const boolean = { code: TypeCode.Boolean32 };

const address = new Uint8Array(MOST_ADDRESS_BYTES);
const writeIpAddress: ValueWriter = (offset, value) => {
  const size = addressInto(value, address, 0);
  if (size === 0) countBadValue();
  return writeUtf16(offset, size === 0 ? '' : ipAddressText(address.subarray(0, size)));
};

const LAYOUTS: Readonly<Record<FieldType, FieldLayout>> = {
  bool: { type: boolean, write: writeBool32 },
  int8: { type: { code: TypeCode.Int8 }, write: numbers.writeInt8 },
  int16: { type: { code: TypeCode.Int16 }, write: numbers.writeInt16 },
  int32: { type: { code: TypeCode.Int32 }, write: numbers.writeInt32 },
  int64: { type: { code: TypeCode.Int64 }, write: numbers.writeInt64 },
  uint8: { type: { code: TypeCode.Uint8 }, write: numbers.writeUint8 },
  uint16: { type: { code: TypeCode.Uint16 }, write: numbers.writeUint16 },
  uint32: { type: { code: TypeCode.Uint32 }, write: numbers.writeUint32 },
  uint64: { type: { code: TypeCode.Uint64 }, write: numbers.writeUint64 },
  hex8: { type: { code: TypeCode.Uint8 }, write: numbers.writeUint8 },
  hex16: { type: { code: TypeCode.Uint16 }, write: numbers.writeUint16 },
  hex32: { type: { code: TypeCode.Uint32 }, write: numbers.writeUint32 },
  hex64: { type: { code: TypeCode.Uint64 }, write: numbers.writeUint64 },
  float: { type: { code: TypeCode.Float }, write: numbers.writeFloat },
  double: { type: { code: TypeCode.Double }, write: numbers.writeDouble },
  string: { type: text, write: writeUtf16 },
  utf16: { type: text, write: writeUtf16 },
  json: { type: text, write: writeJson },
  binary: { type: { code: TypeCode.Array, element: { code: TypeCode.Uint8 } }, write: writeBinary },
  guid: { type: { code: TypeCode.Guid }, write: writeGuid },
  time: { type: { code: TypeCode.DateTime }, write: writeFileTime },
  // The format has no type for IP addresses, which have two sizes.
  ipAddress: { type: text, write: writeIpAddress },
  port: { type: { code: TypeCode.Uint16 }, write: numbers.writeUint16 },
  errno: { type: { code: TypeCode.Int32 }, write: numbers.writeInt32 },
  pid: { type: { code: TypeCode.Uint32 }, write: numbers.writeUint32 },
};

/** The size of an empty string: its NUL. */
const EMPTY_TEXT_SIZE = 2;

export function netTraceFields(fields: readonly FieldSchema[]): NetTraceField[] {
  return fields.map((field) => {
    const type = elementType(field);
    return { name: field.name, type: field.array ? { code: TypeCode.Array, element: type } : type };
  });
}

function elementType(field: FieldSchema): NetTraceType {
  if (field.type === 'struct') return { code: TypeCode.Object, fields: netTraceFields(field.fields) };
  const { type } = LAYOUTS[field.type];
  return field.nullable ? nullableType(type) : type;
}

/** Nullable values are encoded as by .NET's EventSource. */
function nullableType(type: NetTraceType): NetTraceType {
  const fields = [
    { name: 'HasValue', type: boolean },
    { name: 'Value', type },
  ];
  return { code: TypeCode.Object, fields };
}

/** Writes a field's value, or one element if the field is an array. */
export function valueWriterOf(field: ValueSchema): ValueWriter {
  const { type, write } = LAYOUTS[field.type];
  return field.nullable ? nullable(type, write) : write;
}

function nullable(type: NetTraceType, write: ValueWriter): ValueWriter {
  const size = fixedSize(type) ?? EMPTY_TEXT_SIZE;
  return (offset, value) => {
    const isThere = value !== null && value !== undefined;
    const start = writeBool32(offset, isThere);
    if (isThere) return write(start, value);
    scratch.fill(0, start, start + size);
    return start + size;
  };
}
