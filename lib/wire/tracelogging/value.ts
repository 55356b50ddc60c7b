/**
 * A value's bytes as a natural JavaScript value, by its InType and OutType. An OutType that does not suit the
 * InType means the InType's default.
 */
import { readSigned, readUnsigned, viewOf } from '../../base/bytes.ts';
import type { Value } from '../decoded-field.ts';
import { guidText } from '../guid.ts';
import { ipAddressOf, ipAddressText, socketAddressText } from '../ip-address.ts';
import { characterOf, decodeLatin1, decodeUtf8, decodeUtf16 } from '../text.ts';
import { sidText, systemTimeText } from '../windows-values.ts';
import { InType, OutType } from './constants.ts';

/**
 * FILETIMEs are bigints, units of 100 ns since 1601; a SYSTEMTIME is text, `2024-01-31T12:00:00.000`.
 *
 * @param inType of a value: neither Struct nor unknown
 * @param bytes the value alone, without count or terminator, of a length that suits `inType`
 */
export function readValue(inType: number, outType: number, bytes: Uint8Array): Value {
  switch (inType) {
    case InType.Null:
      return null;
    case InType.Int8:
    case InType.Int16:
    case InType.Int32:
    case InType.Int64:
    case InType.UInt8:
    case InType.UInt16:
    case InType.UInt32:
    case InType.UInt64:
      return readInteger(inType, outType, bytes);
    case InType.HexInt32:
    case InType.HexInt64:
      return readUnsigned(bytes, true);
    case InType.Float:
      return viewOf(bytes).getFloat32(0, true);
    case InType.Double:
      return viewOf(bytes).getFloat64(0, true);
    case InType.Bool32:
      return readBoolean(bytes);
    case InType.Guid:
      return guidText(bytes);
    case InType.FileTime:
      return viewOf(bytes).getBigInt64(0, true);
    case InType.SystemTime:
      return systemTimeText(viewOf(bytes));
    case InType.Sid:
      return sidText(viewOf(bytes));
    case InType.UnicodeString:
    case InType.CountedString:
      return decodeUtf16(viewOf(bytes), true);
    case InType.AnsiString:
    case InType.CountedAnsiString:
      return isUtf8(outType) ? decodeUtf8(bytes) : decodeLatin1(bytes);
    case InType.CountedBinary:
      return readNullable(outType, bytes);
    default:
      return readBinary(outType, bytes);
  }
}

/** The InTypes 3 to 10 alternate between signed and unsigned. */
function readInteger(inType: number, outType: number, bytes: Uint8Array): Value {
  switch (outType) {
    case OutType.String:
      if (bytes.length <= 2) return characterOf(Number(readUnsigned(bytes, true)));
      break;
    case OutType.Boolean:
      return readBoolean(bytes);
    case OutType.Port:
      if (bytes.length === 2) return viewOf(bytes).getUint16(0, false);
      break;
    case OutType.Ipv4:
      if (bytes.length === 4) return ipAddressText(bytes);
      break;
    case OutType.Hex:
    case OutType.Unsigned:
      return readUnsigned(bytes, true);
    case OutType.Signed:
      return readSigned(bytes, true);
  }
  return inType % 2 === 1 ? readSigned(bytes, true) : readUnsigned(bytes, true);
}

function readBoolean(bytes: Uint8Array): boolean | number | bigint {
  const number = readSigned(bytes, true);
  return number === 0 || number === 1 ? number === 1 : number;
}

/** XML and JSON have a fixed encoding, which is UTF-8. */
function isUtf8(outType: number): boolean {
  return outType === OutType.Utf8 || outType === OutType.Json || outType === OutType.Xml;
}

function readBinary(outType: number, bytes: Uint8Array): string | Uint8Array {
  if (outType === OutType.SocketAddress) return socketAddressText(bytes) ?? bytes;
  const isAddress = outType === OutType.Ipv4 || outType === OutType.Ipv6;
  return (isAddress ? ipAddressOf(bytes) : undefined) ?? bytes;
}

/** Sizes of nullable values, by OutType: in counted bytes, no bytes mean null. */
const NULLABLE_SIZES: Readonly<Partial<Record<number, readonly number[]>>> = {
  [OutType.Signed]: [1, 2, 4, 8],
  [OutType.Unsigned]: [1, 2, 4, 8],
  [OutType.Hex]: [1, 2, 4, 8],
  [OutType.Boolean]: [1, 2, 4],
  [OutType.Pid]: [4],
  [OutType.Tid]: [4],
  [OutType.Port]: [2],
  [OutType.FileTime]: [8],
  [OutType.Ipv4]: [4],
  [OutType.Ipv6]: [4, 16],
};

function readNullable(outType: number, bytes: Uint8Array): Value {
  if (outType === OutType.SocketAddress) return readBinary(outType, bytes);
  const sizes = NULLABLE_SIZES[outType];
  if (sizes === undefined) return bytes;
  if (bytes.length === 0) return null;
  if (!sizes.includes(bytes.length)) return bytes;
  switch (outType) {
    case OutType.Ipv4:
    case OutType.Ipv6:
      return ipAddressText(bytes);
    case OutType.FileTime:
      return viewOf(bytes).getBigInt64(0, true);
    default:
      return readInteger(InType.UInt32, outType, bytes);
  }
}
