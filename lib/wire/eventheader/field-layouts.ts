/**
 * How each field type stands in an EventHeader event: its encoding, its format, and the function that
 * writes a value of it. Source: the type mapping of LinuxTracepoints' `TraceLoggingProvider.h`.
 */
import type { FieldType } from '../schema.ts';
import { Encoding, Format } from './constants.ts';
import * as values from './values.ts';

export interface FieldLayout {
  readonly encoding: Encoding;
  readonly format: Format;
  readonly write: values.ValueWriter;
  /** Bytes of a value, where that is fixed. */
  readonly size?: number;
}

export const FIELD_LAYOUTS: Readonly<Record<FieldType, FieldLayout>> = {
  bool: fixed(Encoding.Value8, Format.Boolean, 1, values.writeBool),
  int8: fixed(Encoding.Value8, Format.SignedInt, 1, values.writeInt8),
  int16: fixed(Encoding.Value16, Format.SignedInt, 2, values.writeInt16),
  int32: fixed(Encoding.Value32, Format.SignedInt, 4, values.writeInt32),
  int64: fixed(Encoding.Value64, Format.SignedInt, 8, values.writeInt64),
  uint8: fixed(Encoding.Value8, Format.Default, 1, values.writeUint8),
  uint16: fixed(Encoding.Value16, Format.Default, 2, values.writeUint16),
  uint32: fixed(Encoding.Value32, Format.Default, 4, values.writeUint32),
  uint64: fixed(Encoding.Value64, Format.Default, 8, values.writeUint64),
  hex8: fixed(Encoding.Value8, Format.HexInt, 1, values.writeUint8),
  hex16: fixed(Encoding.Value16, Format.HexInt, 2, values.writeUint16),
  hex32: fixed(Encoding.Value32, Format.HexInt, 4, values.writeUint32),
  hex64: fixed(Encoding.Value64, Format.HexInt, 8, values.writeUint64),
  float: fixed(Encoding.Value32, Format.Float, 4, values.writeFloat),
  double: fixed(Encoding.Value64, Format.Float, 8, values.writeDouble),
  string: counted(Encoding.StringLength16Char8, Format.Default, values.writeString),
  utf16: counted(Encoding.StringLength16Char16, Format.Default, values.writeUtf16),
  json: counted(Encoding.StringLength16Char8, Format.StringJson, values.writeJson),
  binary: counted(Encoding.BinaryLength16Char8, Format.Default, values.writeBinary),
  guid: fixed(Encoding.Value128, Format.Uuid, 16, values.writeGuid),
  time: fixed(Encoding.Value64, Format.Time, 8, values.writeTime),
  // Counted, because it may be 4 bytes or 16; the Rust decoder 0.5 reads IPv6 only in this form.
  ipAddress: counted(Encoding.BinaryLength16Char8, Format.IpAddress, values.writeIpAddress),
  port: fixed(Encoding.Value16, Format.Port, 2, values.writePort),
  errno: fixed(Encoding.Value32, Format.Errno, 4, values.writeInt32),
  pid: fixed(Encoding.Value32, Format.Pid, 4, values.writeUint32),
};

function fixed(encoding: Encoding, format: Format, size: number, write: values.ValueWriter): FieldLayout {
  return { encoding, format, size, write };
}

function counted(encoding: Encoding, format: Format, write: values.ValueWriter): FieldLayout {
  return { encoding, format, write };
}

/**
 * The layout of a value that may be absent: counted bytes of the type's format, where no bytes mean null.
 */
export function nullableLayout(layout: FieldLayout): FieldLayout {
  const format = layout.format === Format.Default ? Format.UnsignedInt : layout.format;
  const write =
    layout.size === undefined
      ? values.nullableCounted(layout.write)
      : values.nullable(layout.size, layout.write);
  return { encoding: Encoding.BinaryLength16Char8, format, write };
}
