/** Encodes payloads by the fields in the metadata: the counterpart of `payload.ts`. */
import type { Payload } from '../../decoded-field.ts';
import { guidBytes, isGuidText } from '../../guid.ts';
import { TypeCode } from '../constants.ts';
import type { NetTraceField, NetTraceType } from '../field-type.ts';
import type { NetTraceBytes } from './byte-writer.ts';

type PayloadValue = Payload[string] | undefined;

/** An array stored after all fields, and the position of the word that will hold its offset. */
interface Elsewhere {
  readonly wordAt: number;
  readonly type: NetTraceType;
  readonly value: PayloadValue;
  readonly name: string;
}

const MAX_COUNT = 0xffff;
const WORD_SIZE = 4;

/**
 * Adds the payload. Trailing fields without a value are omitted; others without a value become zero or empty.
 *
 * @throws TypeError if a value does not fit its field; what was written before it stays
 */
export function writePayload(bytes: NetTraceBytes, fields: readonly NetTraceField[], payload: Payload): void {
  new PayloadWriter(bytes).write(fields, payload);
}

class PayloadWriter {
  readonly #bytes: NetTraceBytes;
  readonly #start: number;
  readonly #elsewhere: Elsewhere[] = [];

  constructor(bytes: NetTraceBytes) {
    this.#bytes = bytes;
    this.#start = bytes.length;
  }

  write(fields: readonly NetTraceField[], payload: Payload): void {
    const end = fields.findLastIndex(({ name }) => payload[name] !== undefined) + 1;
    for (let i = 0; i < end; i++) {
      const { name, type } = fields[i] as NetTraceField;
      this.#value(type, payload[name], name);
    }
    for (const { wordAt, type, value, name } of this.#elsewhere) {
      const from = type.code === TypeCode.RelLoc ? wordAt + WORD_SIZE : this.#start;
      const offset = this.#bytes.length - from;
      const elements = elementsOf(type.element as NetTraceType, value, name);
      const dataAt = this.#bytes.length;
      this.#elements(type.element as NetTraceType, elements, name);
      const size = this.#bytes.length - dataAt;
      if (offset > MAX_COUNT || size > MAX_COUNT) refuse(type, value, name);
      this.#bytes.setUint32(wordAt, ((size << 16) | offset) >>> 0);
    }
  }

  #value(type: NetTraceType, value: PayloadValue, name: string): void {
    const bytes = this.#bytes;
    switch (type.code) {
      case TypeCode.Object:
        for (const field of type.fields ?? [])
          this.#value(field.type, memberOf(value, field.name), field.name);
        break;
      case TypeCode.Array: {
        const elements = elementsOf(type.element as NetTraceType, value, name);
        if (elements.length > MAX_COUNT) refuse(type, value, name);
        bytes.uint16(elements.length);
        this.#elements(type.element as NetTraceType, elements, name);
        break;
      }
      case TypeCode.FixedArray: {
        const elements = elementsOf(type.element as NetTraceType, value, name);
        if (elements.length !== type.count) refuse(type, value, name);
        this.#elements(type.element as NetTraceType, elements, name);
        break;
      }
      case TypeCode.RelLoc:
      case TypeCode.DataLoc:
        this.#elsewhere.push({ wordAt: bytes.length, type, value, name });
        bytes.uint32(0);
        break;
      default:
        this.#scalar(type, value, name);
    }
  }

  #elements(type: NetTraceType, elements: ArrayLike<unknown>, name: string): void {
    const bytes = this.#bytes;
    if (elements instanceof Uint8Array && (type.code === TypeCode.Uint8 || type.code === TypeCode.Utf8Unit)) {
      bytes.bytes(elements);
      return;
    }
    if (typeof elements === 'string') {
      bytes.utf16(elements);
      return;
    }
    for (let i = 0; i < elements.length; i++) this.#value(type, elements[i] as PayloadValue, name);
  }

  #scalar(type: NetTraceType, value: PayloadValue, name: string): void {
    const bytes = this.#bytes;
    switch (type.code) {
      case TypeCode.Boolean32:
        bytes.uint32(Number(value ?? 0));
        break;
      case TypeCode.Boolean8:
      case TypeCode.Int8:
      case TypeCode.Uint8:
        bytes.uint8(Number(value ?? 0));
        break;
      case TypeCode.Utf16Unit:
        bytes.uint16(unitOf(value));
        break;
      case TypeCode.Utf8Unit:
        bytes.uint8(unitOf(value));
        break;
      case TypeCode.Int16:
      case TypeCode.Uint16:
        bytes.uint16(Number(value ?? 0));
        break;
      case TypeCode.Int32:
      case TypeCode.Uint32:
        bytes.uint32(Number(value ?? 0));
        break;
      case TypeCode.Int64:
      case TypeCode.Uint64:
      case TypeCode.DateTime:
        bytes.uint64(integerOf(type, value, name));
        break;
      case TypeCode.VarInt:
        bytes.varInt64(integerOf(type, value, name));
        break;
      case TypeCode.VarUint:
        bytes.varUint64(integerOf(type, value, name));
        break;
      case TypeCode.Float:
        bytes.float(Number(value ?? 0));
        break;
      case TypeCode.Double:
        bytes.double(Number(value ?? 0));
        break;
      case TypeCode.Decimal:
        bytes.bytes(sixteenBytes(type, value, name));
        break;
      case TypeCode.Guid: {
        const isGuid = typeof value === 'string' && isGuidText(value);
        bytes.bytes(isGuid ? guidBytes(value) : sixteenBytes(type, value, name));
        break;
      }
      case TypeCode.Utf16Text:
        bytes.utf16Terminated(String(value ?? ''));
        break;
      default:
        refuse(type, value, name);
    }
  }
}

/** UTF-16 text stays text; UTF-8 text becomes bytes. */
function elementsOf(element: NetTraceType, value: PayloadValue, name: string): ArrayLike<unknown> {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') {
    if (element.code === TypeCode.Utf16Unit) return value;
    if (element.code === TypeCode.Utf8Unit) return Buffer.from(value);
  }
  if (value instanceof Uint8Array || Array.isArray(value)) return value;
  if (typeof value === 'object') return Object.values(value);
  return refuse({ code: TypeCode.Array, element }, value, name);
}

function memberOf(value: PayloadValue, name: string): PayloadValue {
  return typeof value === 'object' && value !== null ? (value as Payload)[name] : undefined;
}

function unitOf(value: PayloadValue): number {
  return typeof value === 'string' ? value.charCodeAt(0) : Number(value ?? 0);
}

function integerOf(type: NetTraceType, value: PayloadValue, name: string): bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (value === undefined || value === null) return 0n;
  return Number.isInteger(value) ? BigInt(value as number) : refuse(type, value, name);
}

function sixteenBytes(type: NetTraceType, value: PayloadValue, name: string): Uint8Array {
  if (value === undefined || value === null) return new Uint8Array(16);
  return value instanceof Uint8Array && value.length === 16 ? value : refuse(type, value, name);
}

function refuse(type: NetTraceType, value: unknown, name: string): never {
  throw new TypeError(`Field "${name}" of type ${type.code} cannot be ${String(value).slice(0, 100)}.`);
}
