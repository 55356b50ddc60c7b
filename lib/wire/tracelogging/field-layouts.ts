/**
 * How each field type stands in a TraceLogging event: its InType, its OutType, and the function that writes a
 * value of it. Source: the type mapping of Windows' `TraceLoggingProvider.h`.
 */
import { writeFileTime, writeGuid } from '../etw/values.ts';
import type { FieldType } from '../schema.ts';
import { writeBinary } from '../values/binary.ts';
import { nullable, nullableCounted } from '../values/composite.ts';
import type { ValueWriter } from '../values/faults.ts';
import * as numbers from '../values/numbers.ts';
import { writeJson, writeString } from '../values/text.ts';
import { InType, OutType } from './constants.ts';
import { writeIpAddress, writeUtf16 } from './values.ts';

export interface FieldLayout {
  readonly inType: InType;
  readonly outType: OutType;
  readonly write: ValueWriter;
  /** Bytes of a value, where that is fixed. */
  readonly size?: number;
}

export const FIELD_LAYOUTS: Readonly<Record<FieldType, FieldLayout>> = {
  bool: fixed(InType.UInt8, OutType.Boolean, 1, numbers.writeBool),
  int8: fixed(InType.Int8, OutType.Default, 1, numbers.writeInt8),
  int16: fixed(InType.Int16, OutType.Default, 2, numbers.writeInt16),
  int32: fixed(InType.Int32, OutType.Default, 4, numbers.writeInt32),
  int64: fixed(InType.Int64, OutType.Default, 8, numbers.writeInt64),
  uint8: fixed(InType.UInt8, OutType.Default, 1, numbers.writeUint8),
  uint16: fixed(InType.UInt16, OutType.Default, 2, numbers.writeUint16),
  uint32: fixed(InType.UInt32, OutType.Default, 4, numbers.writeUint32),
  uint64: fixed(InType.UInt64, OutType.Default, 8, numbers.writeUint64),
  hex8: fixed(InType.UInt8, OutType.Hex, 1, numbers.writeUint8),
  hex16: fixed(InType.UInt16, OutType.Hex, 2, numbers.writeUint16),
  hex32: fixed(InType.HexInt32, OutType.Default, 4, numbers.writeUint32),
  hex64: fixed(InType.HexInt64, OutType.Default, 8, numbers.writeUint64),
  float: fixed(InType.Float, OutType.Default, 4, numbers.writeFloat),
  double: fixed(InType.Double, OutType.Default, 8, numbers.writeDouble),
  string: counted(InType.CountedAnsiString, OutType.Utf8, writeString),
  utf16: counted(InType.CountedString, OutType.Default, writeUtf16),
  json: counted(InType.CountedAnsiString, OutType.Json, writeJson),
  binary: counted(InType.CountedBinary, OutType.Default, writeBinary),
  guid: fixed(InType.Guid, OutType.Default, 16, writeGuid),
  time: fixed(InType.FileTime, OutType.Default, 8, writeFileTime),
  ipAddress: counted(InType.CountedBinary, OutType.Ipv6, writeIpAddress),
  port: fixed(InType.UInt16, OutType.Port, 2, numbers.writePort),
  // Windows has no type for errno values; its own errors are other numbers.
  errno: fixed(InType.Int32, OutType.Default, 4, numbers.writeInt32),
  pid: fixed(InType.UInt32, OutType.Pid, 4, numbers.writeUint32),
};

function fixed(inType: InType, outType: OutType, size: number, write: ValueWriter): FieldLayout {
  return { inType, outType, size, write };
}

function counted(inType: InType, outType: OutType, write: ValueWriter): FieldLayout {
  return { inType, outType, write };
}

/**
 * The layout of a value that may be absent: counted bytes, where no bytes mean null. Windows' tools show the
 * bytes; the OutType, where there is one that says what they are, is for decoders that look at it.
 */
export function nullableLayout(layout: FieldLayout): FieldLayout {
  const write =
    layout.size === undefined ? nullableCounted(layout.write) : nullable(layout.size, layout.write);
  return { inType: InType.CountedBinary, outType: nullableOutType(layout), write };
}

function nullableOutType({ inType, outType }: FieldLayout): OutType {
  if (outType !== OutType.Default) return outType;
  switch (inType) {
    case InType.Int8:
    case InType.Int16:
    case InType.Int32:
    case InType.Int64:
      return OutType.Signed;
    case InType.UInt8:
    case InType.UInt16:
    case InType.UInt32:
    case InType.UInt64:
      return OutType.Unsigned;
    case InType.HexInt32:
    case InType.HexInt64:
      return OutType.Hex;
    case InType.FileTime:
      return OutType.FileTime;
    default:
      return OutType.Default;
  }
}
