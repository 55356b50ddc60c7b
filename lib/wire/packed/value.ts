/** Values whose type determines their size. */
import type { Value } from '../decoded-field.ts';
import { guidText } from '../guid.ts';
import { ipAddressText } from '../ip-address.ts';
import { systemTimeText } from '../windows-values.ts';
import type { PackedType } from './field.ts';

export type PointerSize = 4 | 8;

/** Returns bytes; undefined if the size is in the payload or in another field. */
export function fixedSizeOf(type: PackedType, pointerSize: PointerSize): number | undefined {
  switch (type) {
    case 'bool8':
    case 'int8':
    case 'uint8':
    case 'hex8':
    case 'char8':
      return 1;
    case 'char16':
    case 'int16':
    case 'uint16':
    case 'hex16':
    case 'port':
      return 2;
    case 'bool32':
    case 'int32':
    case 'uint32':
    case 'hex32':
    case 'float':
    case 'ipv4':
      return 4;
    case 'int64':
    case 'uint64':
    case 'hex64':
    case 'double':
    case 'filetime':
      return 8;
    case 'pointer':
      return pointerSize;
    case 'guid':
    case 'ipv6':
    case 'systemtime':
      return 16;
    default:
      return undefined;
  }
}

/**
 * FILETIMEs are bigints, units of 100 ns since 1601; a SYSTEMTIME is text, `2024-01-31T12:00:00.000`.
 *
 * @param type one with a fixed size, all of whose bytes are present
 */
export function readFixed(type: PackedType, view: DataView, offset: number, pointerSize: PointerSize): Value {
  switch (type) {
    case 'bool8':
      return booleanOf(view.getInt8(offset));
    case 'bool32':
      return booleanOf(view.getInt32(offset, true));
    case 'char8':
      return String.fromCharCode(view.getUint8(offset));
    case 'char16':
      return String.fromCharCode(view.getUint16(offset, true));
    case 'int8':
      return view.getInt8(offset);
    case 'uint8':
    case 'hex8':
      return view.getUint8(offset);
    case 'int16':
      return view.getInt16(offset, true);
    case 'uint16':
    case 'hex16':
      return view.getUint16(offset, true);
    case 'port':
      return view.getUint16(offset, false);
    case 'int32':
      return view.getInt32(offset, true);
    case 'uint32':
    case 'hex32':
      return view.getUint32(offset, true);
    case 'int64':
    case 'filetime':
      return view.getBigInt64(offset, true);
    case 'uint64':
    case 'hex64':
      return view.getBigUint64(offset, true);
    case 'pointer':
      return pointerSize === 8 ? view.getBigUint64(offset, true) : view.getUint32(offset, true);
    case 'float':
      return view.getFloat32(offset, true);
    case 'double':
      return view.getFloat64(offset, true);
    case 'guid':
      return guidText(bytesOf(view, offset, 16));
    case 'ipv4':
      return ipAddressText(bytesOf(view, offset, 4));
    case 'ipv6':
      return ipAddressText(bytesOf(view, offset, 16));
    case 'systemtime':
      return systemTimeText(view, offset);
    default:
      throw new TypeError(`The type "${type}" has no fixed size.`);
  }
}

function booleanOf(number: number): boolean | number {
  return number === 0 || number === 1 ? number === 1 : number;
}

function bytesOf(view: DataView, offset: number, size: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + offset, size);
}
