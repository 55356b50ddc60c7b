/**
 * The types of manifest fields, as those of packed payloads.
 *
 * Source: the inTypes and outTypes of Windows' `winmeta.xml` and TDH documentation; `trace:` types are for manifests
 * made from the classic kernel events.
 */
import type { PackedType } from '../packed/field.ts';

/** By inType without its namespace prefix. */
const BY_IN_TYPE: ReadonlyMap<string, PackedType> = new Map<string, PackedType>([
  ['UnicodeString', 'utf16'],
  ['AnsiString', 'ansi'],
  ['CountedUnicodeString', 'utf16Counted'],
  ['CountedAnsiString', 'ansiCounted'],
  ['Int8', 'int8'],
  ['UInt8', 'uint8'],
  ['Int16', 'int16'],
  ['UInt16', 'uint16'],
  ['Int32', 'int32'],
  ['UInt32', 'uint32'],
  ['Int64', 'int64'],
  ['UInt64', 'uint64'],
  ['Float', 'float'],
  ['Double', 'double'],
  ['Boolean', 'bool32'],
  ['Binary', 'binary'],
  ['CountedBinary', 'binaryCounted'],
  ['GUID', 'guid'],
  ['Pointer', 'pointer'],
  ['FILETIME', 'filetime'],
  ['SYSTEMTIME', 'systemtime'],
  ['SID', 'sid'],
  ['HexInt8', 'hex8'],
  ['HexInt16', 'hex16'],
  ['HexInt32', 'hex32'],
  ['HexInt64', 'hex64'],
  ['SizeT', 'pointer'],
  ['Port', 'port'],
  ['IPAddr', 'ipv4'],
  ['IPAddrV4', 'ipv4'],
  ['IPAddrV6', 'ipv6'],
  ['WBEMSid', 'wbemSid'],
]);

/** By inType and outType, both without prefix, if the outType changes the type of the value. */
const BY_OUT_TYPE: ReadonlyMap<string, PackedType> = new Map<string, PackedType>([
  ['UInt8 HexInt8', 'hex8'],
  ['UInt16 HexInt16', 'hex16'],
  ['UInt32 HexInt32', 'hex32'],
  ['UInt64 HexInt64', 'hex64'],
  ['Int8 HexInt8', 'hex8'],
  ['Int16 HexInt16', 'hex16'],
  ['Int32 HexInt32', 'hex32'],
  ['Int64 HexInt64', 'hex64'],
  ['UInt8 boolean', 'bool8'],
  ['Int32 boolean', 'bool32'],
  ['UInt32 boolean', 'bool32'],
  ['UInt16 string', 'char16'],
  ['UInt16 Port', 'port'],
  ['UInt32 IPv4', 'ipv4'],
  ['Binary IPv6', 'ipBinary'],
  ['Binary IPv4', 'ipBinary'],
  ['Binary SocketAddress', 'socketAddress'],
  ['Int64 DateTime', 'filetime'],
  ['UInt64 DateTime', 'filetime'],
  ['AnsiString Utf8', 'utf8'],
  ['AnsiString Xml', 'utf8'],
  ['AnsiString Json', 'utf8'],
]);

/** Both without prefix. */
export function packedTypeOf(inType: string, outType: string | undefined): PackedType {
  return BY_OUT_TYPE.get(`${inType} ${outType}`) ?? BY_IN_TYPE.get(inType) ?? 'unknown';
}

/** A length or count: a number, or the name of a field. */
export function extentOf(text: string): number | string {
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : text;
}
