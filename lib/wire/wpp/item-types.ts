/**
 * The types of a WPP message's arguments: how each is stored, and as which text `%10!s!` shows it.
 *
 * | | stored as |
 * |---|---|
 * | Char, Short, Long, LongLong, with U for unsigned; X, XX, O say how they are shown | 1, 2, 4, 8 bytes |
 * | Ptr | as wide as the writer's pointers |
 * | String, RString; WString, RWString | ANSI or UTF-16, NUL-terminated; R: control characters are shown as spaces |
 * | PString; PWString; HEXDump | a u16 of bytes, then ANSI, UTF-16, bytes |
 * | ListByte, ListShort, ListLong (A,B=5,C); Set… | a number with a name for each value, or for each bit |
 * | Timestamp; TimeDelta, WaitTime | FILETIME; milliseconds i64 |
 *
 * Sources: Microsoft's documentation of WPP's extended format specifications and of `defaultwpp.ini`; descriptions of
 * TMF files by others who read them.
 */
import type { PackedField, PackedMap, PackedType } from '../packed/field.ts';

/** What its text says, where that is not just the value. */
export type ItemKind =
  | 'plain'
  | 'reduced'
  | 'status'
  | 'result'
  | 'error'
  | 'time'
  | 'span'
  | 'address'
  | 'names';

export interface Item {
  readonly field: Omit<PackedField, 'name'>;
  readonly kind: ItemKind;
}

const MAX_NAMES = 4096;

/** Sizes in bytes, and whether they have a sign. */
const INTEGERS: Readonly<Record<string, readonly [bits: 8 | 16 | 32 | 64, isSigned: boolean]>> = {
  char: [8, true],
  uchar: [8, false],
  short: [16, true],
  ushort: [16, false],
  long: [32, true],
  ulong: [32, false],
  ulongx: [32, false],
  longlong: [64, true],
  ulonglong: [64, false],
  longlongo: [64, false],
  longlongx: [64, false],
  longlongxx: [64, false],
  ulonglongx: [64, false],
  enum: [32, true],
  flagsenum: [32, false],
};

const OTHERS: Readonly<Record<string, readonly [PackedType, kind?: ItemKind, length?: number]>> = {
  ptr: ['pointer'],
  float: ['float'],
  double: ['double'],
  string: ['ansi'],
  rstring: ['ansi', 'reduced'],
  wstring: ['utf16'],
  rwstring: ['utf16', 'reduced'],
  pstring: ['ansiCounted'],
  pwstring: ['utf16Counted'],
  char4: ['ansi', 'plain', 4],
  guid: ['guid'],
  iid: ['guid'],
  clsid: ['guid'],
  libid: ['guid'],
  sid: ['sid'],
  ntstatus: ['hex32', 'status'],
  nterror: ['hex32', 'status'],
  hresult: ['hex32', 'result'],
  winerror: ['uint32', 'error'],
  timestamp: ['filetime', 'time'],
  timedelta: ['int64', 'span'],
  waittime: ['int64', 'span'],
  ipaddr: ['ipv4'],
  ipv6addr: ['ipv6'],
  port: ['port'],
  macaddr: ['binary', 'address', 6],
  hexdump: ['binaryCounted'],
};

const SIZES: Readonly<Record<string, PackedType>> = { byte: 'uint8', short: 'uint16', long: 'uint32' };

/**
 * @param text `ItemLong`, `ItemListLong(Off,On=4)`
 * @param conversion of the placeholder that shows it: the last letter of its format
 */
export function itemOf(text: string, conversion: string): Item {
  const [, name = '', list] = /^Item(\w+)\s*(?:\((.*)\))?$/s.exec(text) ?? [];
  const key = name.toLowerCase();
  const integer = Object.hasOwn(INTEGERS, key) ? INTEGERS[key] : undefined;
  if (integer !== undefined)
    return { field: { type: integerType(...integer, key, conversion) }, kind: 'plain' };
  const other = Object.hasOwn(OTHERS, key) ? OTHERS[key] : undefined;
  if (other !== undefined) {
    const [type, kind = 'plain', length] = other;
    return { field: length === undefined ? { type } : { type, length }, kind };
  }
  const [, isSet, size = ''] = /^(?:list|(set))(byte|short|long)$/.exec(key) ?? [];
  const type = SIZES[size];
  if (type === undefined || list === undefined)
    return { field: { type: 'unknown', typeName: text }, kind: 'plain' };
  const kind = isSet === undefined ? 'value' : 'bits';
  return { field: { type, map: { name: '', kind, names: namesOf(list, kind) } }, kind: 'names' };
}

/** C's types have no radix, and WPP's signs are vague: the format says what the number is. */
function integerType(bits: 8 | 16 | 32 | 64, isSigned: boolean, key: string, conversion: string): PackedType {
  const isHex = /x$/.test(key) || /[xXp]/.test(conversion);
  if (isHex) return `hex${bits}`;
  return isSigned && !/[uoc]/.test(conversion) ? `int${bits}` : `uint${bits}`;
}

/** Names are numbered from 0, or from the last number given. */
function namesOf(list: string, kind: PackedMap['kind']): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  let next = 0;
  for (const entry of list.split(',', MAX_NAMES)) {
    const [name = '', given, more] = entry.split('=', 3).map((part) => part.trim());
    const number = given === undefined ? next : /^-?\w+$/.test(given) ? Number(given) : Number.NaN;
    if (more !== undefined || !Number.isSafeInteger(number)) continue;
    const value = kind === 'bits' && given === undefined ? 2 ** number : number >>> 0;
    if (name !== '' && !names.has(value)) names.set(value, name);
    next = number + 1;
  }
  return names;
}
