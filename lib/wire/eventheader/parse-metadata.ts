/**
 * Parses the metadata extension: the event's name and the tree of its fields. The result depends only on the metadata's
 * bytes and byte order, so a reader may cache it.
 *
 * Layout: event name NUL, then for each field: name NUL, encoding u8, [format u8], [tag u16], [element count u16].
 * Source: LinuxTracepoints `eventheader.h`, checked against its C++ decoder.
 */
import { indexOfNul, viewOf } from '../../base/bytes.ts';
import { decodeUtf8 } from '../text.ts';
import {
  ENCODING_CHAIN_FLAG,
  ENCODING_CONST_ARRAY_FLAG,
  ENCODING_VALUE_MASK,
  ENCODING_VAR_ARRAY_FLAG,
  Encoding,
  FORMAT_CHAIN_FLAG,
  FORMAT_VALUE_MASK,
  MAX_STRUCT_DEPTH,
  MAX_TOP_LEVEL_FIELDS,
} from './constants.ts';
import { EventHeaderErrorCode } from './error.ts';

/** One field as described in the metadata. */
export interface ParsedField {
  readonly name: string;
  /** See `Encoding`; may be an unknown number, which only the payload's decoder refuses. */
  readonly encoding: number;
  /** See `Format`; for a struct: the number of its fields, which may exceed those in the metadata. */
  readonly format: number;
  /** 0: none. */
  readonly tag: number;
  /** `'variable'`: the payload contains the element count. A number: the count. */
  readonly array?: 'variable' | number;
  /** The position of the field's encoding byte in the metadata. */
  readonly offset: number;
  /** Only a struct has members. */
  readonly members?: ParsedFields;
}

/** The fields of an event or of a struct, in payload order. */
export interface ParsedFields {
  readonly fields: readonly ParsedField[];
  /** Why the remaining fields are missing. Those before are valid. */
  readonly fault?: MetadataFault;
}

interface MetadataFault {
  readonly code: EventHeaderErrorCode;
  /** The offset in the metadata. */
  readonly offset: number;
  readonly message: string;
}

export interface ParsedMetadata extends ParsedFields {
  /** The event's name with its attributes, as in the metadata: `name;attribute=value`. */
  readonly nameAndAttributes: string;
}

/**
 * @param metadata the extension's content; its name must be NUL-terminated
 *
 * Never throws for what follows the name: a fault is recorded at its position, so that the fields before it can still
 * be decoded.
 */
export function parseMetadata(metadata: Uint8Array, littleEndian: boolean): ParsedMetadata {
  const nameEnd = indexOfNul(metadata, 0, metadata.length);
  const parser = new MetadataParser(metadata, nameEnd + 1, littleEndian);
  const parsed = parser.readFields(MAX_TOP_LEVEL_FIELDS, 0);
  const nameAndAttributes = decodeUtf8(metadata.subarray(0, nameEnd));
  if (parsed.fault === undefined && parser.offset < metadata.length) {
    const fault: MetadataFault = {
      code: EventHeaderErrorCode.NotSupported,
      offset: parser.offset,
      message: `The event has more than ${MAX_TOP_LEVEL_FIELDS} top-level fields.`,
    };
    return { ...parsed, fault, nameAndAttributes };
  }
  return { ...parsed, nameAndAttributes };
}

class MetadataParser {
  offset: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #littleEndian: boolean;
  #fault: MetadataFault | undefined;

  constructor(bytes: Uint8Array, offset: number, littleEndian: boolean) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.offset = offset;
    this.#littleEndian = littleEndian;
  }

  /** Reads up to `count` fields; fewer if the metadata ends, which is legal, or at a fault. */
  readFields(count: number, depth: number): ParsedFields {
    if (depth > MAX_STRUCT_DEPTH) {
      this.#fail(
        EventHeaderErrorCode.NestedTooDeep,
        `Structs are nested more than ${MAX_STRUCT_DEPTH} levels deep.`,
      );
    }
    const fields: ParsedField[] = [];
    while (this.#fault === undefined && fields.length < count && this.offset < this.#bytes.length) {
      const field = this.#readField(depth);
      if (field !== undefined) fields.push(field);
    }
    return this.#fault === undefined ? { fields } : { fields, fault: this.#fault };
  }

  #readField(depth: number): ParsedField | undefined {
    const nameEnd = indexOfNul(this.#bytes, this.offset, this.#bytes.length);
    if (nameEnd < 0) return this.#fail(EventHeaderErrorCode.BadMessage, 'A field name has no end.');
    const name = decodeUtf8(this.#bytes.subarray(this.offset, nameEnd));
    this.offset = nameEnd + 1;
    if (this.#left < 1) return this.#endsEarly(name);
    const offset = this.offset;
    const encodingByte = this.#view.getUint8(this.offset++);
    let format = 0;
    let tag = 0;
    if ((encodingByte & ENCODING_CHAIN_FLAG) !== 0) {
      if (this.#left < 1) return this.#endsEarly(name);
      const formatByte = this.#view.getUint8(this.offset++);
      format = formatByte & FORMAT_VALUE_MASK;
      if ((formatByte & FORMAT_CHAIN_FLAG) !== 0) {
        if (this.#left < 2) return this.#endsEarly(name);
        tag = this.#readUint16();
      }
    }
    const encoding = encodingByte & ENCODING_VALUE_MASK;
    const field = { name, encoding, format, tag, offset };
    const array = this.#readArray(encodingByte, name);
    if (this.#fault !== undefined) return undefined;
    const shaped = array === undefined ? field : { ...field, array };
    if (encoding !== Encoding.Struct) return shaped;
    return { ...shaped, members: this.readFields(format, depth + 1) };
  }

  #readArray(encodingByte: number, name: string): 'variable' | number | undefined {
    const isConstant = (encodingByte & ENCODING_CONST_ARRAY_FLAG) !== 0;
    const isVariable = (encodingByte & ENCODING_VAR_ARRAY_FLAG) !== 0;
    if (isConstant && isVariable) {
      return this.#fail(
        EventHeaderErrorCode.NotSupported,
        `Field "${name}" has both array flags set, which is reserved.`,
      );
    }
    if (isVariable) return 'variable';
    if (!isConstant) return undefined;
    if (this.#left < 2) return this.#endsEarly(name);
    return this.#readUint16();
  }

  get #left(): number {
    return this.#bytes.length - this.offset;
  }

  #readUint16(): number {
    const value = this.#view.getUint16(this.offset, this.#littleEndian);
    this.offset += 2;
    return value;
  }

  #endsEarly(name: string): undefined {
    return this.#fail(EventHeaderErrorCode.BadMessage, `The metadata ends inside field "${name}".`);
  }

  #fail(code: EventHeaderErrorCode, message: string): undefined {
    this.#fault = { code, offset: this.offset, message };
    return undefined;
  }
}
