/**
 * The types of manifest fields, as those of packed payloads.
 *
 * Source: the inTypes and outTypes of Windows' `winmeta.xml` and TDH documentation; `trace:` types are for manifests
 * made from the classic kernel events.
 */
import type { PackedType } from '../packed/field.ts';

/** The key is the inType without its namespace prefix. */
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

/**
 * The key is made of inType and outType, both without prefix, the latter in lower case, if the outType changes the type
 * of the value.
 */
const BY_OUT_TYPE: ReadonlyMap<string, PackedType> = new Map<string, PackedType>([
  ['UInt8 boolean', 'bool8'],
  ['Int8 boolean', 'bool8'],
  ['Int32 boolean', 'bool32'],
  ['UInt32 boolean', 'bool32'],
  ['UInt8 string', 'char8'],
  ['Int8 string', 'char8'],
  ['UInt16 string', 'char16'],
  ['UInt16 port', 'port'],
  ['UInt32 ipv4', 'ipv4'],
  ['Binary ipv6', 'ipBinary'],
  ['Binary ipv4', 'ipBinary'],
  ['Binary socketaddress', 'socketAddress'],
  ['AnsiString utf8', 'utf8'],
  ['AnsiString xml', 'utf8'],
  ['AnsiString json', 'utf8'],
]);

const INTEGER = /^U?Int(8|16|32|64)$/;
/** These outTypes of integers are shown in hex: addresses and codes of errors, except for those of Win32. */
const HEX = /^(?:hexint(?:8|16|32|64)|ntstatus|hresult|errorcode|codepointer)$/;
const DATE_TIME = /^datetime(?:utc|cultureinsensitive)?$/;

/** Both types are without their prefix. */
export function packedTypeOf(inType: string, outType = ''): PackedType {
  const out = outType.toLowerCase();
  const bits = INTEGER.exec(inType)?.[1];
  if (bits !== undefined && HEX.test(out)) return `hex${bits}` as PackedType;
  if (bits === '64' && DATE_TIME.test(out)) return 'filetime';
  return BY_OUT_TYPE.get(`${inType} ${out}`) ?? BY_IN_TYPE.get(inType) ?? 'unknown';
}

/** A length or count: a number, or the name of a field. */
export function extentOf(text: string): number | string {
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : text;
}
