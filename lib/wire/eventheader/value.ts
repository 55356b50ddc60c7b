/** A value's bytes as a natural JavaScript value. */
import { readSigned, readUnsigned, uuidText, viewOf } from '../../base/bytes.ts';
import type { Value } from '../decoded-field.ts';
import { ipAddressText } from '../ip-address.ts';
import {
  characterOf,
  decodeLatin1,
  decodeMarkedText,
  decodeUtf8,
  decodeUtf16,
  decodeUtf32,
} from '../text.ts';
import type { ValueKind } from './value-kind.ts';

/** Times are seconds since 1970. @param bytes of a length for which `kind` was chosen */
export function readValue(kind: ValueKind, bytes: Uint8Array, littleEndian: boolean): Value {
  switch (kind) {
    case 'null':
      return null;
    case 'unsigned':
    case 'hex':
      return readUnsigned(bytes, littleEndian);
    case 'signed':
    case 'errno':
    case 'time':
      return readSigned(bytes, littleEndian);
    case 'boolean':
      return readBoolean(bytes, littleEndian);
    case 'float':
      return readFloat(bytes, littleEndian);
    case 'bytes':
      return bytes;
    case 'port':
      return viewOf(bytes).getUint16(0, false);
    default:
      return readText(kind, bytes, littleEndian);
  }
}

/** The kinds whose value is always shown as text. */
type TextKind = Exclude<
  ValueKind,
  'null' | 'unsigned' | 'hex' | 'signed' | 'errno' | 'time' | 'boolean' | 'float' | 'bytes' | 'port'
>;

/** The text of a textual value. */
export function readText(kind: TextKind, bytes: Uint8Array, littleEndian: boolean): string {
  switch (kind) {
    case 'character':
      return characterOf(Number(readUnsigned(bytes, littleEndian)));
    case 'latin1':
      return decodeLatin1(bytes);
    case 'utf8':
      return decodeUtf8(bytes);
    case 'utf16':
      return decodeUtf16(viewOf(bytes), littleEndian);
    case 'utf32':
      return decodeUtf32(viewOf(bytes), littleEndian);
    case 'markedUtf8':
      return decodeMarkedText(viewOf(bytes)) ?? decodeUtf8(bytes);
    case 'markedUtf16':
      return decodeMarkedText(viewOf(bytes)) ?? decodeUtf16(viewOf(bytes), littleEndian);
    case 'markedUtf32':
      return decodeMarkedText(viewOf(bytes)) ?? decodeUtf32(viewOf(bytes), littleEndian);
    case 'uuid':
      return uuidText(bytes);
    case 'ipAddress':
      return ipAddressText(bytes);
  }
}

/** 1 or 2 bytes, unsigned, or 4, signed: like the C++ decoder for values that are neither true nor false. */
export function readBoolean(bytes: Uint8Array, littleEndian: boolean): boolean | number {
  const number = Number(
    bytes.length === 4 ? readSigned(bytes, littleEndian) : readUnsigned(bytes, littleEndian),
  );
  return number === 0 || number === 1 ? number === 1 : number;
}

/** 4 or 8 bytes. */
export function readFloat(bytes: Uint8Array, littleEndian: boolean): number {
  const view = viewOf(bytes);
  return bytes.length === 4 ? view.getFloat32(0, littleEndian) : view.getFloat64(0, littleEndian);
}
