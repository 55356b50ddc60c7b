/**
 * How each field type is laid out in a TraceLogging event: its InType, its OutType, and the function that writes a
 * value. Source: the type mapping of Windows' `TraceLoggingProvider.h`.
 */
import { writeFileTime, writeGuid } from '../etw/values.ts';
import { MOST_ADDRESS_BYTES } from '../ip-address.ts';
import type { FieldType } from '../schema.ts';
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';
import { writeAddress, writeBinary, writeEmpty } from '../values/binary.ts';
import { nullable, nullableCounted } from '../values/composite.ts';
import { noRoom, type ValueWriter } from '../values/faults.ts';
import * as numbers from '../values/numbers.ts';
import { textOf, writeJson, writeString, writeUtf16Units } from '../values/text.ts';
import { InType, OutType } from './constants.ts';

// The writers of the types whose layout is TraceLogging's own.

/** UTF-16 after a u16 count of bytes. */
export const writeUtf16: ValueWriter = (offset, value) => {
  const start = offset + 2;
  const end = writeUtf16Units(start, textOf(value));
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, end - start, true);
  return end;
};

/**
 * The 16 bytes of an IPv6 address after a u16 count of them. A field has one type for all its events, and ETW's cannot
 * hold both versions: an IPv4 address is written as an IPv4-mapped one (RFC 4291, 2.5.5.2).
 */
const writeIpAddress: ValueWriter = (offset, value) => {
  const start = offset + 2;
  const size = writeAddress(start, value);
  if (size === 0) return writeEmpty(offset);
  const end = start + MOST_ADDRESS_BYTES;
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  if (size < MOST_ADDRESS_BYTES) {
    scratch.copyWithin(end - size, start, start + size);
    scratch.fill(0, start, start + 10).fill(0xff, start + 10, start + 12);
  }
  scratchView.setUint16(offset, MOST_ADDRESS_BYTES, true);
  return end;
};

export interface FieldLayout {
  readonly inType: InType;
  readonly outType: OutType;
  readonly write: ValueWriter;
  /** The size of a value in bytes, if fixed. */
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
  // Windows has no type for errno values; its own error numbers differ.
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
 * The layout of a nullable value: counted bytes, where no bytes mean null. Windows' tools show the bytes; an OutType
 * that says what they are, if there is one, is for decoders that use it.
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
