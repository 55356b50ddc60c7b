/** Thrift's compact protocol, as far as Parquet's metadata needs it. Source: thrift-compact-protocol.md. */
import { ByteWriter } from '../../base/byte-writer.ts';

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const INT32 = 5;
const INT64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;
/** A list's size from which it stands behind the head. */
const LONG_LIST = 15;

export class ThriftWriter {
  readonly #out = new ByteWriter();
  /** The id of the last field of each open struct. */
  readonly #ids: number[] = [0];

  bool(id: number, value: boolean): this {
    return this.#field(id, value ? TRUE : FALSE);
  }

  byte(id: number, value: number): this {
    this.#field(id, BYTE);
    this.#out.uint8(value);
    return this;
  }

  /** @param value an integer of up to 32 bits */
  int(id: number, value: number): this {
    this.#field(id, INT32);
    return this.#zigzag(value);
  }

  long(id: number, value: number): this {
    this.#field(id, INT64);
    return this.#zigzag(value);
  }

  binary(id: number, value: Uint8Array | string): this {
    this.#field(id, BINARY);
    return this.#bytes(value);
  }

  struct(id: number, write: () => void): this {
    this.#field(id, STRUCT);
    return this.#members(write);
  }

  structs<T>(id: number, items: readonly T[], write: (item: T) => void): this {
    this.#list(id, STRUCT, items.length);
    for (const item of items) this.#members(() => write(item));
    return this;
  }

  ints(id: number, items: readonly number[]): this {
    this.#list(id, INT32, items.length);
    for (const item of items) this.#zigzag(item);
    return this;
  }

  texts(id: number, items: readonly string[]): this {
    this.#list(id, BINARY, items.length);
    for (const item of items) this.#bytes(item);
    return this;
  }

  /** Ends the outermost struct. */
  end(): Uint8Array {
    return this.#out.uint8(0).copy();
  }

  #members(write: () => void): this {
    this.#ids.push(0);
    write();
    this.#ids.pop();
    this.#out.uint8(0);
    return this;
  }

  #field(id: number, type: number): this {
    const delta = id - (this.#ids.at(-1) as number);
    this.#ids[this.#ids.length - 1] = id;
    this.#out.uint8((delta << 4) | type);
    return this;
  }

  #list(id: number, type: number, size: number): void {
    this.#field(id, LIST);
    if (size < LONG_LIST) this.#out.uint8((size << 4) | type);
    else this.#out.uint8((LONG_LIST << 4) | type).varUint(size);
  }

  #bytes(value: Uint8Array | string): this {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.#out.varUint(bytes.length).bytes(bytes);
    return this;
  }

  #zigzag(value: number): this {
    this.#out.varUint(value < 0 ? -2 * value - 1 : 2 * value);
    return this;
  }
}
