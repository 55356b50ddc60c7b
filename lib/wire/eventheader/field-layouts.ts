/**
 * How each field type is laid out in an EventHeader event: its encoding, its format, and the function that writes a
 * value. Source: the type mapping of LinuxTracepoints' `TraceLoggingProvider.h`.
 */
import type { FieldType } from '../schema.ts';
import { SCRATCH_LIMIT, scratchView } from '../scratch.ts';
import { writeAddress, writeBinary, writeGuid } from '../values/binary.ts';
import { secondsOf } from '../values/checks.ts';
import { nullable, nullableCounted } from '../values/composite.ts';
import { noRoom, type ValueWriter } from '../values/faults.ts';
import * as numbers from '../values/numbers.ts';
import { MAX_INT_64, MIN_INT_64, nearestBigint, setSafeInteger } from '../values/numbers.ts';
import { textOf, writeJson, writeString, writeUtf16Units } from '../values/text.ts';
import { Encoding, Format } from './constants.ts';

// The writers of the types whose layout is EventHeader's own.

/** UTF-16 after a u16 count of code units. */
const writeUtf16: ValueWriter = (offset, value) => {
  const text = textOf(value);
  const end = writeUtf16Units(offset + 2, text);
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, text.length, true);
  return end;
};

/** A Date, or milliseconds since 1970, as whole seconds since 1970, 64 bits. */
const writeTime: ValueWriter = (offset, value) => {
  const seconds = secondsOf(value);
  if (Number.isSafeInteger(seconds)) setSafeInteger(offset, seconds);
  else scratchView.setBigInt64(offset, nearestBigint(seconds, MIN_INT_64, MAX_INT_64), true);
  return offset + 8;
};

/** The 4 or 16 bytes of an IP address after a u16 count of them. */
const writeIpAddress: ValueWriter = (offset, value) => {
  const start = offset + 2;
  const end = start + writeAddress(start, value);
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, end - start, true);
  return end;
};

export interface FieldLayout {
  readonly encoding: Encoding;
  readonly format: Format;
  readonly write: ValueWriter;
  /** The size of a value in bytes, if fixed. */
  readonly size?: number;
}

export const FIELD_LAYOUTS: Readonly<Record<FieldType, FieldLayout>> = {
  bool: fixed(Encoding.Value8, Format.Boolean, 1, numbers.writeBool),
  int8: fixed(Encoding.Value8, Format.SignedInt, 1, numbers.writeInt8),
  int16: fixed(Encoding.Value16, Format.SignedInt, 2, numbers.writeInt16),
  int32: fixed(Encoding.Value32, Format.SignedInt, 4, numbers.writeInt32),
  int64: fixed(Encoding.Value64, Format.SignedInt, 8, numbers.writeInt64),
  uint8: fixed(Encoding.Value8, Format.Default, 1, numbers.writeUint8),
  uint16: fixed(Encoding.Value16, Format.Default, 2, numbers.writeUint16),
  uint32: fixed(Encoding.Value32, Format.Default, 4, numbers.writeUint32),
  uint64: fixed(Encoding.Value64, Format.Default, 8, numbers.writeUint64),
  hex8: fixed(Encoding.Value8, Format.HexInt, 1, numbers.writeUint8),
  hex16: fixed(Encoding.Value16, Format.HexInt, 2, numbers.writeUint16),
  hex32: fixed(Encoding.Value32, Format.HexInt, 4, numbers.writeUint32),
  hex64: fixed(Encoding.Value64, Format.HexInt, 8, numbers.writeUint64),
  float: fixed(Encoding.Value32, Format.Float, 4, numbers.writeFloat),
  double: fixed(Encoding.Value64, Format.Float, 8, numbers.writeDouble),
  string: counted(Encoding.StringLength16Char8, Format.Default, writeString),
  utf16: counted(Encoding.StringLength16Char16, Format.Default, writeUtf16),
  json: counted(Encoding.StringLength16Char8, Format.StringJson, writeJson),
  binary: counted(Encoding.BinaryLength16Char8, Format.Default, writeBinary),
  guid: fixed(Encoding.Value128, Format.Uuid, 16, writeGuid),
  time: fixed(Encoding.Value64, Format.Time, 8, writeTime),
  // Counted, because it has 4 bytes or 16; the Rust decoder 0.5 reads IPv6 only in this form.
  ipAddress: counted(Encoding.BinaryLength16Char8, Format.IpAddress, writeIpAddress),
  port: fixed(Encoding.Value16, Format.Port, 2, numbers.writePort),
  errno: fixed(Encoding.Value32, Format.Errno, 4, numbers.writeInt32),
  pid: fixed(Encoding.Value32, Format.Pid, 4, numbers.writeUint32),
};

function fixed(encoding: Encoding, format: Format, size: number, write: ValueWriter): FieldLayout {
  return { encoding, format, size, write };
}

function counted(encoding: Encoding, format: Format, write: ValueWriter): FieldLayout {
  return { encoding, format, write };
}

/** The layout of a nullable value: counted bytes of the type's format, where no bytes mean null. */
export function nullableLayout(layout: FieldLayout): FieldLayout {
  const format = layout.format === Format.Default ? Format.UnsignedInt : layout.format;
  const write =
    layout.size === undefined ? nullableCounted(layout.write) : nullable(layout.size, layout.write);
  return { encoding: Encoding.BinaryLength16Char8, format, write };
}
