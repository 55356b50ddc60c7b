/**
 * Chooses nettrace field types for payloads of which only the values are known. A field keeps its type from event to
 * event and gets a wider one only when a value needs it, so most events of one kind share their metadata.
 */
import { jsonValue } from '../trace/trace-event.ts';
import type { Payload } from '../wire/decoded-field.ts';
import { TypeCode } from '../wire/nettrace/constants.ts';
import type { NetTraceField, NetTraceType } from '../wire/nettrace/field-type.ts';

type PayloadValue = Payload[string];

interface DescribedPayload {
  readonly fields: readonly NetTraceField[];
  /** The payload, with values that have no type as strings. */
  readonly payload: Payload;
}

/** The maximum number of elements of an array. */
const MAX_COUNT = 0xffff;
const MAX_INT64 = 0x7fff_ffff_ffff_ffffn;

const INT32 = { code: TypeCode.Int32 } as const;
const UINT32 = { code: TypeCode.Uint32 } as const;
const DOUBLE = { code: TypeCode.Double } as const;
const INT64 = { code: TypeCode.Int64 } as const;
const UINT64 = { code: TypeCode.Uint64 } as const;
const TEXT = { code: TypeCode.Utf16Text } as const;
/** 4 bytes: version 4 has no other boolean. */
const BOOLEAN = { code: TypeCode.Boolean32 } as const;
/** A string that contains NUL. */
const COUNTED_TEXT = { code: TypeCode.Array, element: { code: TypeCode.Utf16Unit } } as const;
const BINARY = { code: TypeCode.Array, element: { code: TypeCode.Uint8 } } as const;

/** @param before the fields of the previous event of the same kind */
export function describePayload(payload: Payload, before: readonly NetTraceField[]): DescribedPayload {
  if (fitsFields(before, payload)) return { fields: before, payload };
  const typesBefore = new Map(before.map(({ name, type }) => [name, type]));
  const described: Payload = Object.create(null);
  const fields: NetTraceField[] = [];
  for (const [name, value] of Object.entries(payload)) {
    // The format represents an absent value only by omitting it.
    if (value === null || value === undefined) continue;
    const type = typeOf(value, typesBefore.get(name));
    fields.push({ name, type: type ?? TEXT });
    described[name] = type === undefined ? JSON.stringify(jsonValue(value)) : value;
  }
  return { fields, payload: described };
}

/** Returns undefined if no type fits the value. */
function typeOf(value: PayloadValue, before: NetTraceType | undefined): NetTraceType | undefined {
  if (before !== undefined && fits(before, value)) return before;
  const type = newTypeOf(value, before);
  return type !== undefined && fits(type, value) ? type : undefined;
}

function newTypeOf(value: PayloadValue, before: NetTraceType | undefined): NetTraceType | undefined {
  switch (typeof value) {
    case 'boolean':
      return BOOLEAN;
    case 'number':
      return numberType(value, before);
    case 'bigint':
      return value < 0n ? INT64 : UINT64;
    case 'string':
      return value.includes('\0') ? COUNTED_TEXT : TEXT;
  }
  if (value === null) return undefined;
  if (value instanceof Uint8Array) return BINARY;
  if (Array.isArray(value)) return arrayType(value, before?.element);
  const { fields } = describePayload(value as Payload, before?.fields ?? []);
  return { code: TypeCode.Object, fields };
}

function numberType(value: number, before: NetTraceType | undefined): NetTraceType {
  const wasInteger =
    before === undefined || before.code === TypeCode.Int32 || before.code === TypeCode.Uint32;
  if (!wasInteger) return DOUBLE;
  if (fits(INT32, value) && before?.code !== TypeCode.Uint32) return INT32;
  return fits(UINT32, value) ? UINT32 : DOUBLE;
}

function arrayType(
  values: readonly PayloadValue[],
  before: NetTraceType | undefined,
): NetTraceType | undefined {
  let element: NetTraceType | undefined = before;
  for (const value of values) {
    element = typeOf(value, element);
    if (element === undefined) return undefined;
  }
  return { code: TypeCode.Array, element: element ?? INT32 };
}

function fitsFields(fields: readonly NetTraceField[], payload: Payload): boolean {
  const names = Object.keys(payload);
  return (
    names.length === fields.length &&
    fields.every(({ name, type }, i) => name === names[i] && fits(type, payload[name] as PayloadValue))
  );
}

function fits(type: NetTraceType, value: PayloadValue): boolean {
  switch (type.code) {
    case TypeCode.Boolean32:
      return typeof value === 'boolean';
    case TypeCode.Int32:
      return typeof value === 'number' && Object.is(value, value | 0);
    case TypeCode.Uint32:
      return typeof value === 'number' && Object.is(value, value >>> 0);
    case TypeCode.Double:
      return typeof value === 'number';
    case TypeCode.Int64:
      return typeof value === 'bigint' && value <= MAX_INT64;
    case TypeCode.Uint64:
      return typeof value === 'bigint' && value >= 0n;
    case TypeCode.Utf16Text:
      return typeof value === 'string' && !value.includes('\0');
    case TypeCode.Object:
      return isStruct(value) && fitsFields(type.fields ?? [], value);
    case TypeCode.Array:
      return fitsArray(type.element as NetTraceType, value);
    default:
      return false;
  }
}

function fitsArray(element: NetTraceType, value: PayloadValue): boolean {
  if (element.code === TypeCode.Utf16Unit) return typeof value === 'string' && value.length <= MAX_COUNT;
  if (element.code === TypeCode.Uint8) return value instanceof Uint8Array && value.length <= MAX_COUNT;
  const isArray = Array.isArray(value) && value.length <= MAX_COUNT;
  return isArray && value.every((item) => fits(element, item as PayloadValue));
}

function isStruct(value: PayloadValue): value is Payload {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
