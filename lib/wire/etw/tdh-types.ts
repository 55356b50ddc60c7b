/**
 * TDH's numbers for field types, as the names that manifests use for them.
 *
 * Source: TDH_IN_TYPE and TDH_OUT_TYPE of Windows' `tdh.h`. Those from 300 on are for classic (MOF) events.
 */
import { packedTypeOf } from '../manifest/field-types.ts';
import type { PackedType } from '../packed/field.ts';

/** The key is the type's number. */
export const TDH_IN_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'UnicodeString'],
  [2, 'AnsiString'],
  [3, 'Int8'],
  [4, 'UInt8'],
  [5, 'Int16'],
  [6, 'UInt16'],
  [7, 'Int32'],
  [8, 'UInt32'],
  [9, 'Int64'],
  [10, 'UInt64'],
  [11, 'Float'],
  [12, 'Double'],
  [13, 'Boolean'],
  [14, 'Binary'],
  [15, 'GUID'],
  [16, 'Pointer'],
  [17, 'FILETIME'],
  [18, 'SYSTEMTIME'],
  [19, 'SID'],
  [20, 'HexInt32'],
  [21, 'HexInt64'],
  [22, 'CountedUnicodeString'],
  [23, 'CountedAnsiString'],
  [25, 'CountedBinary'],
  [300, 'CountedUnicodeString'],
  [301, 'CountedAnsiString'],
  [308, 'SizeT'],
  [310, 'WBEMSid'],
]);

/** The ones that change the type of the value. */
const OUT_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'string'],
  [2, 'DateTime'],
  [13, 'boolean'],
  [16, 'HexInt8'],
  [17, 'HexInt16'],
  [18, 'HexInt32'],
  [19, 'HexInt64'],
  [22, 'Port'],
  [23, 'IPv4'],
  [24, 'IPv6'],
  [25, 'SocketAddress'],
  [28, 'Xml'],
  [29, 'ErrorCode'],
  [31, 'NTSTATUS'],
  [32, 'HResult'],
  [33, 'DateTimeCultureInsensitive'],
  [34, 'Json'],
  [35, 'Utf8'],
  [37, 'CodePointer'],
  [38, 'DateTimeUtc'],
]);

const IPV6 = 24;

interface TdhType {
  readonly type: PackedType;
  /** Present for a type that does not occur in known payloads. */
  readonly typeName?: string;
}

/** @param length the length in the field's description; 0 if it has none */
export function tdhType(inType: number, outType: number, length: number): TdhType {
  const inName = TDH_IN_TYPES.get(inType);
  if (inName === undefined) return { type: 'unknown', typeName: `TDH in type ${inType}` };
  // An IPv6 address is binary and needs no length.
  if (inName === 'Binary' && outType === IPV6 && length === 0) return { type: 'ipv6' };
  return { type: packedTypeOf(inName, OUT_TYPES.get(outType)) };
}
