/** Reads protobuf messages into objects, within limits: unknown fields are skipped. */

import { ByteCursor } from '../../base/byte-cursor.ts';
import { viewOf } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import { type FieldType, type Message, type Scalar, WireType } from './message.ts';

/** Exact up to 2^53, otherwise a bigint. */
export type Integer = number | bigint;

/** Messages nest in messages at most this deep. */
const MAX_DEPTH = 50;
/** Fields of one message, with those of the messages in it: a field of two bytes takes fifty times as much memory. */
const MAX_FIELDS = 1 << 18;
const MAX_FIELD_NUMBER = 2 ** 29;

interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly isRepeated: boolean;
}

const tables = new WeakMap<Message, Map<number, Field>>();

export class MessageReader extends ByteCursor {
  /** Where the memory starts in the trace. */
  readonly #position: number;
  #fields = 0;

  constructor(bytes: Uint8Array, position: number) {
    super(bytes, viewOf(bytes));
    this.#position = position;
  }

  override fail(reason: string): never {
    throw new TraceError('malformed', this.#position + this.offset, reason);
  }

  /** The fields up to `end`. */
  message(fields: Message, end: number = this.end, depth = 0): Record<string, unknown> {
    if (depth > MAX_DEPTH) this.fail(`Messages are nested deeper than ${MAX_DEPTH} levels.`);
    const table = tableOf(fields);
    const message: Record<string, unknown> = {};
    while (this.offset < end) {
      const { number, wireType } = this.key();
      const field = table.get(number);
      if (field === undefined) {
        if (depth === 0) this.unknownField(number);
        this.skipField(wireType, end);
      } else this.#read(message, field, wireType, end, depth);
    }
    if (this.offset > end) this.fail('A field exceeds its message.');
    return message;
  }

  /** Called for each field of the outermost message that its description lacks. */
  protected unknownField(_number: number): void {}

  key(): { readonly number: number; readonly wireType: number } {
    const key = Number(this.varUint());
    const number = Math.floor(key / 8);
    if (number === 0 || number >= MAX_FIELD_NUMBER) this.fail(`A field has the number ${number}.`);
    return { number, wireType: key % 8 };
  }

  varUint(): Integer {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      const byte = this.uint8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    let large = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.uint8();
      large |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return narrow(BigInt.asUintN(64, large));
    }
    return this.fail('A number has more than 10 bytes.');
  }

  #read(
    message: Record<string, unknown>,
    { name, type, isRepeated }: Field,
    wireType: number,
    end: number,
    depth: number,
  ): void {
    if (++this.#fields > MAX_FIELDS) this.fail(`A message has more than ${MAX_FIELDS} fields.`);
    const isPacked = isRepeated && wireType === WireType.Counted && isNumber(type);
    if (!isPacked && wireType !== wireTypeOf(type)) {
      this.skipField(wireType, end);
      return;
    }
    if (!isRepeated) {
      message[name] = this.#value(type, end, depth);
      return;
    }
    message[name] ??= [];
    const values = message[name] as unknown[];
    if (!isPacked) {
      values.push(this.#value(type, end, depth));
      return;
    }
    const packedEnd = this.#countedEnd(end);
    while (this.offset < packedEnd) {
      if (++this.#fields > MAX_FIELDS) this.fail(`A message has more than ${MAX_FIELDS} fields.`);
      values.push(this.#value(type, packedEnd, depth));
    }
  }

  #value(type: FieldType, end: number, depth: number): unknown {
    if (typeof type !== 'string') return this.message(type(), this.#countedEnd(end), depth + 1);
    switch (type) {
      case 'string':
        return this.#counted(end).toString('utf8');
      case 'hex':
      case 'base64':
        return this.#counted(end).toString(type);
      case 'bytes':
        return this.#counted(end);
      case 'bool':
        return this.varUint() !== 0;
      case 'int':
        return signed(this.varUint());
      case 'uint':
        return this.varUint();
      case 'fixed64':
        return narrow(this.uint64());
      case 'double':
        return this.view.getFloat64(this.advance(8), true);
    }
  }

  #counted(end: number): Buffer {
    const stop = this.#countedEnd(end);
    const { buffer, byteOffset } = this.memory;
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset + this.offset, stop - this.offset);
    this.offset = stop;
    return bytes;
  }

  #countedEnd(end: number): number {
    const size = Number(this.varUint());
    if (size > end - this.offset) this.fail(`A field of ${size} bytes exceeds its message.`);
    return this.offset + size;
  }

  /** @param end of its message */
  skipField(wireType: number, end: number): void {
    switch (wireType) {
      case WireType.Varint:
        this.varUint();
        return;
      case WireType.Fixed64:
        this.skip(8);
        return;
      case WireType.Fixed32:
        this.skip(4);
        return;
      case WireType.Counted:
        this.offset = this.#countedEnd(end);
        return;
      default:
        this.fail(`A field has the wire type ${wireType}.`);
    }
  }
}

function tableOf(fields: Message): Map<number, Field> {
  let table = tables.get(fields);
  if (table === undefined) {
    table = new Map(
      Object.entries(fields).map(([name, [number, type, repeated]]) => [
        number,
        { name, type, isRepeated: repeated !== undefined },
      ]),
    );
    tables.set(fields, table);
  }
  return table;
}

const WIRE_TYPES: Readonly<Partial<Record<Scalar, number>>> = {
  bool: WireType.Varint,
  int: WireType.Varint,
  uint: WireType.Varint,
  fixed64: WireType.Fixed64,
  double: WireType.Fixed64,
};

function wireTypeOf(type: FieldType): number {
  return (typeof type === 'string' ? WIRE_TYPES[type] : undefined) ?? WireType.Counted;
}

function isNumber(type: FieldType): boolean {
  return typeof type === 'string' && type in WIRE_TYPES;
}

function narrow(value: bigint): Integer {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
}

function signed(value: Integer): Integer {
  return typeof value === 'number' ? value : narrow(BigInt.asIntN(64, value));
}
