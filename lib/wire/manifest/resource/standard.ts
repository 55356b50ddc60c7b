/**
 * What manifests use without defining it: levels, opcodes and types, with their numbers and texts.
 *
 * Source: Windows' `winmeta.xml`, TDH_IN_TYPE and TDH_OUT_TYPE.
 */
import { TDH_IN_TYPES } from '../../etw/tdh-types.ts';
import { LEVEL_NAMES, OPCODE_NAMES } from '../constants.ts';

export interface Standard {
  readonly value: number;
  readonly text: string;
}

const LEVEL_TEXTS = ['Log Always', 'Critical', 'Error', 'Warning', 'Information', 'Verbose'];

export const STANDARD_LEVELS: ReadonlyMap<string, Standard> = new Map(
  LEVEL_NAMES.map((name, value) => [name, { value, text: LEVEL_TEXTS[value] as string }]),
);

export const STANDARD_OPCODES: ReadonlyMap<string, Standard> = new Map(
  Array.from(OPCODE_NAMES, ([value, name]) => [name, { value, text: name.slice(4).replace('_', '') }]),
);

/** Each inType has this outType, unless the manifest names another. */
const DEFAULT_OUT_TYPES = [0, 1, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 19, 2, 2, 1, 18, 19];

/** The index is the outType's number. */
const OUT_TYPES = (
  ' string dateTime byte unsignedByte short unsignedShort int unsignedInt long unsignedLong float double boolean GUID ' +
  'hexBinary HexInt8 HexInt16 HexInt32 HexInt64 PID TID Port IPv4 IPv6 SocketAddress CIMDateTime ETWTIME Xml ErrorCode ' +
  'Win32Error NTSTATUS HResult DateTimeCultureInsensitive Json Utf8 Pkcs7WithTypeInfo CodePointer DateTimeUtc'
).split(' ');

/** The number of an inType without its prefix; undefined if there is none. */
export function inTypeNumber(name: string): number | undefined {
  const found = Array.from(TDH_IN_TYPES).find(([, inType]) => inType === name)?.[0];
  // The types behind these are not for manifests.
  return found !== undefined && found < DEFAULT_OUT_TYPES.length ? found : undefined;
}

/** The number of an outType without its prefix, or else that of the inType; undefined if there is none. */
export function outTypeNumber(name: string | undefined, inType: number): number | undefined {
  if (name === undefined) return DEFAULT_OUT_TYPES[inType];
  const index = OUT_TYPES.indexOf(name);
  return index > 0 ? index : undefined;
}
