/** Writes objects as protobuf messages. */
import { ByteWriter, putVarUint } from '../../base/byte-writer.ts';
import { type FieldType, type Message, type Scalar, WireType } from './message.ts';

/** Numbers with fewer digits are exact. */
const SAFE_DIGITS = 15;
/** The size of a text with at most this many characters takes one byte. */
const MAX_SHORT = 100;

export class MessageWriter extends ByteWriter {
  /** The fields of a message, without its size. */
  message(message: object, fields: Message): void {
    for (const name in message) {
      const field = fields[name];
      const value = message[name as keyof typeof message] as unknown;
      if (field === undefined || value === undefined) continue;
      const [number, type, repeated] = field;
      if (!Array.isArray(value)) this.field(number, type, value);
      else if (repeated === 'packed') this.#packed(number, value);
      else for (const item of value) this.field(number, type, item);
    }
  }

  field(number: number, type: FieldType, value: unknown): void {
    if (typeof type === 'string') {
      this.#scalar(number, type, value);
      return;
    }
    const start = this.#beginCounted(number);
    this.message(value as object, type());
    this.#endCounted(start);
  }

  #packed(number: number, values: readonly (number | bigint | string)[]): void {
    if (values.length === 0) return;
    const start = this.#beginCounted(number);
    for (const value of values) this.#integer(value);
    this.#endCounted(start);
  }

  /** @returns where the size goes: nearly all sizes take one byte */
  #beginCounted(number: number): number {
    this.#key(number, WireType.Counted);
    return this.grow(1);
  }

  #endCounted(start: number): void {
    const size = this.length - start - 1;
    let others = 0;
    for (let left = size; left > 0x7f; left >>>= 7) others++;
    if (others > 0) {
      this.grow(others);
      this.buffer.copyWithin(start + 1 + others, start + 1, start + 1 + size);
    }
    putVarUint(this.buffer, start, size);
  }

  #scalar(number: number, type: Scalar, value: unknown): void {
    switch (type) {
      case 'string':
        this.#text(number, String(value), 'utf8');
        return;
      case 'hex':
      case 'base64':
        this.#text(number, String(value), type);
        return;
      case 'bytes':
        this.#key(number, WireType.Counted);
        this.varUint((value as Uint8Array).length).bytes(value as Uint8Array);
        return;
      case 'bool':
      case 'int':
      case 'uint':
        this.#key(number, WireType.Varint);
        this.#integer(value as boolean | number | bigint | string);
        return;
      case 'fixed64':
        this.#key(number, WireType.Fixed64);
        this.uint64(BigInt(value as number | bigint | string));
        return;
      case 'double':
        this.#key(number, WireType.Fixed64);
        this.double(Number(value));
    }
  }

  #integer(value: boolean | number | bigint | string): void {
    const small = Number(value);
    const isExact =
      typeof value === 'number' ? Number.isSafeInteger(value) : String(small).length <= SAFE_DIGITS;
    if (small >= 0 && isExact) this.varUint(small);
    else this.varUint64(BigInt(value));
  }

  #text(number: number, text: string, encoding: 'utf8' | 'hex' | 'base64'): void {
    this.#key(number, WireType.Counted);
    if (encoding === 'utf8' && this.#ascii(text)) return;
    const size = Buffer.byteLength(text, encoding);
    this.varUint(size);
    const at = this.grow(size);
    this.buffer.write(text, at, encoding);
  }

  /** Two calls of Buffer take longer than a short loop. @returns whether it has been written */
  #ascii(text: string): boolean {
    const { length } = text;
    if (length > MAX_SHORT) return false;
    const at = this.grow(1 + length);
    this.buffer[at] = length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.length = at;
        return false;
      }
      this.buffer[at + 1 + i] = code;
    }
    return true;
  }

  #key(number: number, wireType: number): void {
    this.varUint(number * 8 + wireType);
  }
}
