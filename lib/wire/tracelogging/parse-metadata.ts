/**
 * Parses the metadata of a TraceLogging event: its tag, its name and the tree of its fields. The result depends only on
 * the metadata's bytes, so a reader may cache it.
 *
 * Layout (little-endian): size u16 (of all), tag bytes, event name NUL, then for each field: name NUL, InType u8,
 * [OutType u8], [tag bytes], [element count u16, or size u16 and a custom description]. Source: Windows'
 * `TraceLoggingProvider.h`.
 */
import { indexOfNul, viewOf } from '../../base/bytes.ts';
import { decodeUtf8 } from '../text.ts';
import {
  IN_TYPE_CHAIN_FLAG,
  IN_TYPE_CONST_ARRAY_FLAG,
  IN_TYPE_CUSTOM_FLAGS,
  IN_TYPE_MASK,
  IN_TYPE_VAR_ARRAY_FLAG,
  InType,
  OUT_TYPE_CHAIN_FLAG,
  OUT_TYPE_MASK,
} from './constants.ts';
import { TraceLoggingError } from './error.ts';
import { decodeTag } from './tag.ts';

/** Deeper than any tool displays; bounds the recursion. */
const MAX_STRUCT_DEPTH = 32;
const SIZE_OF_SIZE = 2;

/** One field as described in the metadata. */
export interface ParsedField {
  readonly name: string;
  /** See `InType`; may be an unknown number, which only the payload's decoder refuses. */
  readonly inType: number;
  /** See `OutType`; for a struct: the number of its fields, which may exceed those in the metadata. */
  readonly outType: number;
  /** 0 for none. */
  readonly tag: number;
  /**
   * `'variable'`: the payload contains the element count. A number: the count. `'custom'`: a custom layout, which no
   * decoder knows.
   */
  readonly array?: 'variable' | 'custom' | number;
  /** The position of the field's InType byte in the metadata. */
  readonly offset: number;
  /** Only a struct has members. */
  readonly members?: readonly ParsedField[];
}

export interface ParsedMetadata {
  readonly name: string;
  /** 28 bits; 0 for none. */
  readonly tag: number;
  /** The fields are in payload order. Names need not be unique. */
  readonly fields: readonly ParsedField[];
}

/**
 * @param metadata from its size on; bytes after that size are ignored
 * @throws TraceLoggingError
 */
export function parseMetadata(metadata: Uint8Array): ParsedMetadata {
  const size = metadata.length < SIZE_OF_SIZE ? 0 : viewOf(metadata).getUint16(0, true);
  if (size < SIZE_OF_SIZE || size > metadata.length) {
    const message = `The event metadata gives its size as ${size} of ${metadata.length} bytes.`;
    throw new TraceLoggingError('metadata', 0, message);
  }
  const parser = new MetadataParser(metadata.subarray(0, size));
  const tag = parser.readTag('The event tag');
  const name = parser.readName('The event name');
  return { name, tag, fields: parser.readFields(Number.POSITIVE_INFINITY, 0) };
}

class MetadataParser {
  #offset = SIZE_OF_SIZE;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  readTag(what: string): number {
    const decoded = decodeTag(this.#bytes, this.#offset);
    if (decoded === undefined) return this.#fail(`${what} has no end.`);
    this.#offset = decoded.end;
    return decoded.tag;
  }

  readName(what: string): string {
    const end = indexOfNul(this.#bytes, this.#offset, this.#bytes.length);
    if (end < 0) return this.#fail(`${what} has no end.`);
    const name = decodeUtf8(this.#bytes.subarray(this.#offset, end));
    this.#offset = end + 1;
    return name;
  }

  /** Reads up to `count` fields; fewer if the metadata ends. */
  readFields(count: number, depth: number): ParsedField[] {
    if (depth > MAX_STRUCT_DEPTH) this.#fail(`Structs are nested more than ${MAX_STRUCT_DEPTH} levels deep.`);
    const fields: ParsedField[] = [];
    while (fields.length < count && this.#offset < this.#bytes.length) fields.push(this.#readField(depth));
    return fields;
  }

  #readField(depth: number): ParsedField {
    const name = this.readName('A field name');
    const offset = this.#offset;
    const inTypeByte = this.#readUint8(name);
    let outType = 0;
    let tag = 0;
    if ((inTypeByte & IN_TYPE_CHAIN_FLAG) !== 0) {
      const outTypeByte = this.#readUint8(name);
      outType = outTypeByte & OUT_TYPE_MASK;
      if ((outTypeByte & OUT_TYPE_CHAIN_FLAG) !== 0) tag = this.readTag(`The tag of field "${name}"`);
    }
    const inType = inTypeByte & IN_TYPE_MASK;
    const array = this.#readArray(inTypeByte, name);
    const field = { name, inType, outType, tag, offset, ...(array === undefined ? {} : { array }) };
    return inType === InType.Struct ? { ...field, members: this.readFields(outType, depth + 1) } : field;
  }

  #readArray(inTypeByte: number, name: string): ParsedField['array'] {
    switch (inTypeByte & IN_TYPE_CUSTOM_FLAGS) {
      case IN_TYPE_CONST_ARRAY_FLAG:
        return this.#readUint16(name);
      case IN_TYPE_VAR_ARRAY_FLAG:
        return 'variable';
      case IN_TYPE_CUSTOM_FLAGS: {
        const size = this.#readUint16(name);
        this.#require(size, name);
        this.#offset += size;
        return 'custom';
      }
      default:
        return undefined;
    }
  }

  #readUint8(name: string): number {
    this.#require(1, name);
    return this.#view.getUint8(this.#offset++);
  }

  #readUint16(name: string): number {
    this.#require(2, name);
    const value = this.#view.getUint16(this.#offset, true);
    this.#offset += 2;
    return value;
  }

  #require(size: number, name: string): void {
    if (size > this.#bytes.length - this.#offset) this.#fail(`The metadata ends inside field "${name}".`);
  }

  #fail(message: string): never {
    throw new TraceLoggingError('metadata', this.#offset, message);
  }
}
