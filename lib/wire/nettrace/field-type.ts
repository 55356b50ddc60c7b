/** How metadata describes the fields of an event. */
import { TypeCode } from './constants.ts';

export interface NetTraceField {
  readonly name: string;
  readonly type: NetTraceType;
}

export interface NetTraceType {
  /** See `TypeCode`. */
  readonly code: number;
  /** Arrays of every kind have an element. */
  readonly element?: NetTraceType;
  /** The number of elements of a `FixedArray`. */
  readonly count?: number;
  /** An `Object` has fields. */
  readonly fields?: readonly NetTraceField[];
}

/** The maximum nesting of types. */
export const MAX_TYPE_DEPTH = 32;

const SIZES: ReadonlyMap<number, number> = new Map([
  [TypeCode.Boolean32, 4],
  [TypeCode.Utf16Unit, 2],
  [TypeCode.Int8, 1],
  [TypeCode.Uint8, 1],
  [TypeCode.Int16, 2],
  [TypeCode.Uint16, 2],
  [TypeCode.Int32, 4],
  [TypeCode.Uint32, 4],
  [TypeCode.Int64, 8],
  [TypeCode.Uint64, 8],
  [TypeCode.Float, 4],
  [TypeCode.Double, 8],
  [TypeCode.Decimal, 16],
  [TypeCode.DateTime, 8],
  [TypeCode.Guid, 16],
  [TypeCode.Utf8Unit, 1],
  [TypeCode.Boolean8, 1],
]);

/** The size of every value of the type in bytes; undefined if values differ. */
export function fixedSize(type: NetTraceType): number | undefined {
  if (type.code === TypeCode.FixedArray && type.element !== undefined) {
    const size = fixedSize(type.element);
    return size === undefined ? undefined : size * (type.count ?? 0);
  }
  if (type.code === TypeCode.Object) {
    let total = 0;
    for (const field of type.fields ?? []) {
      const size = fixedSize(field.type);
      if (size === undefined) return undefined;
      total += size;
    }
    return total;
  }
  return SIZES.get(type.code);
}
