/**
 * Decodes an event's payload by the fields in its metadata.
 *
 * For the values see `Value`. In addition: a UTF-16 or UTF-8 unit is a one-character string, an array of them a string,
 * an array of bytes binary; a decimal is its 16 bytes. An array of arrays becomes an array of objects with the indices
 * as names.
 */

import { EmptyPayload, type Payload, type PayloadClass, type Value } from '../decoded-field.ts';
import { guidText } from '../guid.ts';
import { itemLimit, nameCost } from '../output-limits.ts';
import { decodeUtf8 } from '../text.ts';
import { TraceError } from '../trace-error.ts';
import { utf16Text } from '../utf16.ts';
import type { Block } from './block.ts';
import { TypeCode } from './constants.ts';
import { Cursor } from './cursor.ts';
import { fixedSize, type NetTraceField, type NetTraceType } from './field-type.ts';

interface DecodedPayload {
  readonly payload: Payload;
  /** A sentence on why some of the event's fields are missing. */
  readonly problem: string | undefined;
  /** The number of its values, including structs and array elements. */
  readonly values: number;
}

type PayloadValue = Value | readonly Value[] | Payload | readonly Payload[];

/** Fields beyond the end of the payload are absent, and so are those after one that cannot be read. */
export function decodePayload(
  fields: readonly NetTraceField[],
  block: Block,
  start: number,
  end: number,
  PayloadOfKind: PayloadClass = EmptyPayload,
): DecodedPayload {
  const decoder = new PayloadDecoder(block, start, end);
  const payload = new PayloadOfKind();
  let at = 0;
  try {
    for (; at < fields.length && decoder.hasMore; at++) {
      const field = fields[at] as NetTraceField;
      payload[field.name] = decoder.member(field);
    }
    return { payload, problem: decoder.problem, values: decoder.values };
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    const problem = `Field "${fields[at]?.name}" cannot be read: ${error.message}`;
    return { payload, problem, values: decoder.values };
  }
}

/** A subclass of the cursor, because a trace has millions of payloads. */
class PayloadDecoder extends Cursor {
  /** A problem with a field that does not prevent reading the following ones. */
  problem: string | undefined = undefined;
  values = 0;
  readonly #start: number;
  readonly #limit: number;
  /** Arrays stored elsewhere could overlap, which never happens in a benign trace. */
  #elsewhereLeft: number;

  constructor(block: Block, start: number, end: number) {
    super(block, start, end);
    this.#start = start;
    this.#limit = itemLimit(end - start);
    this.#elsewhereLeft = 2 * (end - start);
  }

  get hasMore(): boolean {
    return this.offset < this.end;
  }

  member({ name, type }: NetTraceField, cursor: Cursor = this): PayloadValue {
    this.values += nameCost(name);
    return this.#value(type, cursor);
  }

  #value(type: NetTraceType, cursor: Cursor): PayloadValue {
    this.values++;
    if (this.values > this.#limit) {
      this.fail(`The event has more values than fit into its ${this.end - this.#start} bytes.`);
    }
    switch (type.code) {
      case TypeCode.Object:
        return this.#object(type.fields ?? [], cursor);
      case TypeCode.Array:
        return this.#array(elementOf(type), cursor.uint16(), cursor);
      case TypeCode.FixedArray:
        return this.#array(elementOf(type), type.count ?? 0, cursor);
      case TypeCode.RelLoc:
      case TypeCode.DataLoc:
        return this.#arrayElsewhere(type, cursor);
      default:
        return scalar(type.code, cursor);
    }
  }

  #object(fields: readonly NetTraceField[], cursor: Cursor): Payload {
    const payload = new EmptyPayload();
    for (const field of fields) payload[field.name] = this.member(field, cursor);
    return payload;
  }

  #array(element: NetTraceType, count: number, cursor: Cursor): PayloadValue {
    switch (element.code) {
      case TypeCode.Uint8:
        return cursor.take(count);
      case TypeCode.Utf8Unit:
        return decodeUtf8(cursor.take(count));
      case TypeCode.Utf16Unit: {
        const bytes = cursor.take(count * 2);
        return utf16Text(bytes, 0, bytes.length);
      }
    }
    const values: PayloadValue[] = [];
    for (let i = 0; i < count; i++) values.push(this.#value(element, cursor));
    if (element.code === TypeCode.Object) return values as readonly Payload[];
    // Strings and binaries are arrays by type, but single values.
    return values.every(isSingle)
      ? values
      : (values.map((value) => ({ ...(value as Payload) })) as readonly Payload[]);
  }

  /** The size and offset of the array are here, the array elsewhere in the payload. */
  #arrayElsewhere(type: NetTraceType, cursor: Cursor): PayloadValue {
    const word = cursor.uint32();
    const size = word >>> 16;
    const from = type.code === TypeCode.RelLoc ? cursor.offset : this.#start;
    const start = from + (word & 0xffff);
    const element = elementOf(type);
    const elementSize = fixedSize(element) ?? 0;
    if (elementSize === 0 || size % elementSize !== 0 || start + size > this.end) {
      this.problem ??= `An array of ${size} bytes cannot start ${start - this.#start} bytes from the start of the payload.`;
      return null;
    }
    this.#elsewhereLeft -= size;
    if (this.#elsewhereLeft < 0) this.fail('Its arrays overlap.');
    return this.#array(element, size / elementSize, new Cursor(this.block, start, start + size));
  }
}

function elementOf(type: NetTraceType): NetTraceType {
  return type.element as NetTraceType;
}

function isSingle(value: PayloadValue): value is Value {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

function scalar(code: number, cursor: Cursor): Value {
  switch (code) {
    case TypeCode.Boolean32:
      return booleanOf(cursor.int32());
    case TypeCode.Boolean8:
      return booleanOf(cursor.uint8());
    case TypeCode.Utf16Unit:
      return String.fromCharCode(cursor.uint16());
    case TypeCode.Utf8Unit:
      return String.fromCharCode(cursor.uint8());
    case TypeCode.Int8:
      return cursor.int8();
    case TypeCode.Uint8:
      return cursor.uint8();
    case TypeCode.Int16:
      return cursor.int16();
    case TypeCode.Uint16:
      return cursor.uint16();
    case TypeCode.Int32:
      return cursor.int32();
    case TypeCode.Uint32:
      return cursor.uint32();
    case TypeCode.Int64:
      return cursor.int64();
    case TypeCode.Uint64:
    case TypeCode.DateTime:
      return cursor.uint64();
    case TypeCode.Float:
      return cursor.float();
    case TypeCode.Double:
      return cursor.double();
    case TypeCode.Decimal:
      return cursor.take(16);
    case TypeCode.Guid:
      return guidText(cursor.take(16));
    case TypeCode.Utf16Text:
      return cursor.utf16();
    case TypeCode.VarInt:
      return cursor.varInt64();
    case TypeCode.VarUint:
      return cursor.varUint64();
    default:
      return cursor.fail(`The field type ${code} does not exist.`);
  }
}

function booleanOf(number: number): boolean | number {
  return number === 0 || number === 1 ? number === 1 : number;
}
