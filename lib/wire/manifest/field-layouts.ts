/**
 * How each field type is laid out in a manifest event: its type in the manifest, and the function that writes a value.
 * Source: the type mapping of .NET's EventSource.
 */
import { ETW_CHECKS, writeFileTime, writeGuid } from '../etw/values.ts';
import type { FieldType } from '../schema.ts';
import { type Check, type Checks, isText } from '../values/checks.ts';
import type { ValueWriter } from '../values/faults.ts';
import * as numbers from '../values/numbers.ts';
import { writeBinary, writeBool32, writeJson, writeUtf16 } from './values.ts';

interface FieldLayout {
  readonly inType: string;
  readonly outType?: string;
  readonly write: ValueWriter;
}

/** A type is absent if EventSource has none such, and manifests none that its tools would read. */
export const FIELD_LAYOUTS: Readonly<Partial<Record<FieldType, FieldLayout>>> = {
  bool: { inType: 'win:Boolean', write: writeBool32 },
  int8: { inType: 'win:Int8', write: numbers.writeInt8 },
  int16: { inType: 'win:Int16', write: numbers.writeInt16 },
  int32: { inType: 'win:Int32', write: numbers.writeInt32 },
  int64: { inType: 'win:Int64', write: numbers.writeInt64 },
  uint8: { inType: 'win:UInt8', write: numbers.writeUint8 },
  uint16: { inType: 'win:UInt16', write: numbers.writeUint16 },
  uint32: { inType: 'win:UInt32', write: numbers.writeUint32 },
  uint64: { inType: 'win:UInt64', write: numbers.writeUint64 },
  hex8: { inType: 'win:UInt8', outType: 'win:HexInt8', write: numbers.writeUint8 },
  hex16: { inType: 'win:UInt16', outType: 'win:HexInt16', write: numbers.writeUint16 },
  hex32: { inType: 'win:UInt32', outType: 'win:HexInt32', write: numbers.writeUint32 },
  hex64: { inType: 'win:UInt64', outType: 'win:HexInt64', write: numbers.writeUint64 },
  float: { inType: 'win:Float', write: numbers.writeFloat },
  double: { inType: 'win:Double', write: numbers.writeDouble },
  string: { inType: 'win:UnicodeString', write: writeUtf16 },
  utf16: { inType: 'win:UnicodeString', write: writeUtf16 },
  json: { inType: 'win:UnicodeString', write: writeJson },
  // Preceded by a separate field for the count: see `sizeFieldName`.
  binary: { inType: 'win:Binary', write: writeBinary },
  guid: { inType: 'win:GUID', write: writeGuid },
  time: { inType: 'win:FILETIME', write: writeFileTime },
  // A plain number: the outType for ports uses network order, which not all tools convert.
  port: { inType: 'win:UInt16', write: numbers.writeUint16 },
  errno: { inType: 'win:Int32', write: numbers.writeInt32 },
  pid: { inType: 'win:UInt32', outType: 'win:PID', write: numbers.writeUint32 },
};

/** The format's text ends at its first NUL. */
const isTextWithoutNul: Check = (value) => isText(value) && !value.includes('\0');

/** The checks fit the types as manifests have them. JSON escapes NUL. */
export const MANIFEST_CHECKS: Checks = { ...ETW_CHECKS, string: isTextWithoutNul, utf16: isTextWithoutNul };

/** The field before a binary field that holds its size in bytes. */
export function sizeFieldName(name: string): string {
  return `${name}Size`;
}
