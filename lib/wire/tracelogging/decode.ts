/**
 * Decodes the payload of a TraceLogging event. A pure function of its metadata and its bytes.
 *
 * Strings and arrays contain their own length, so the position of a field is known only after reading all fields before
 * it. Source of the format: Windows' `TraceLoggingProvider.h`; a NUL-terminated string at the end of the payload may
 * lack its NUL, which some writers omit.
 */
import { viewOf } from '../../base/bytes.ts';
import type { ShapedField, Value } from '../decoded-field.ts';
import { itemLimit, nameCost } from '../output-limits.ts';
import { sidSize } from '../windows-values.ts';
import { InType } from './constants.ts';
import { TraceLoggingError } from './error.ts';
import type { ParsedField, ParsedMetadata } from './parse-metadata.ts';
import { readValue } from './value.ts';

/** What every field has. */
interface FieldHead {
  readonly name: string;
  /** 28 bits; 0 for none. */
  readonly tag: number;
  /** See `InType`. */
  readonly inType: number;
  /** See `OutType`; a struct's field count. */
  readonly outType: number;
}

/** A field with its value as a natural JavaScript value; see `Value` and `readValue`. */
type TraceLoggingField = ShapedField<FieldHead, Value>;

/**
 * Decodes an event's fields, in payload order; names need not be unique.
 *
 * @param payload bytes after the last field are ignored
 * @throws TraceLoggingError
 */
export function decodeTraceLogging(metadata: ParsedMetadata, payload: Uint8Array): TraceLoggingField[] {
  return new PayloadDecoder(payload).readFields(metadata.fields);
}

class PayloadDecoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;
  #itemsLeft: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#itemsLeft = itemLimit(bytes.length);
  }

  readFields(fields: readonly ParsedField[]): TraceLoggingField[] {
    return fields.map((field) => this.#readField(field));
  }

  #readField(field: ParsedField): TraceLoggingField {
    const { name, tag, inType, outType, members } = field;
    const head = { name, tag, inType, outType };
    this.#itemsLeft -= nameCost(name);
    if (field.array === undefined) {
      return members === undefined
        ? { ...head, shape: 'value', value: this.#readItem(field) }
        : { ...head, shape: 'struct', value: this.#readStruct(members) };
    }
    const count = this.#readElementCount(field);
    return members === undefined
      ? { ...head, shape: 'array', value: this.#readElements(count, () => this.#readItem(field)) }
      : { ...head, shape: 'structArray', value: this.#readElements(count, () => this.#readStruct(members)) };
  }

  #readElements<Element>(count: number, readElement: () => Element): Element[] {
    const elements: Element[] = [];
    for (let index = 0; index < count; index++) elements.push(readElement());
    return elements;
  }

  #readStruct(members: readonly ParsedField[]): TraceLoggingField[] {
    this.#countItem();
    return this.readFields(members);
  }

  #readItem(field: ParsedField): Value {
    this.#countItem();
    return readValue(field.inType, field.outType, this.#readBytes(field));
  }

  #countItem(): void {
    if (this.#itemsLeft-- <= 0) {
      this.#fail(`The event has more values than fit into its ${this.#bytes.length} bytes.`);
    }
  }

  #readElementCount(field: ParsedField): number {
    if (field.array === 'custom') return this.#fail(`Field "${field.name}" has a custom layout.`);
    return field.array === 'variable' ? this.#readUint16(field) : (field.array ?? 1);
  }

  /** The bytes of one value; also skips its terminator. */
  #readBytes(field: ParsedField): Uint8Array {
    switch (field.inType) {
      case InType.UnicodeString:
        return this.#takeTerminated(2);
      case InType.AnsiString:
        return this.#takeTerminated(1);
      case InType.Binary:
      case InType.CountedString:
      case InType.CountedAnsiString:
      case InType.CountedBinary:
        return this.#take(this.#readUint16(field), field);
      case InType.Sid:
        return this.#take(this.#sizeOfSid(field), field);
      default:
        return this.#take(fixedSizeOf(field.inType) ?? this.#refuseInType(field), field);
    }
  }

  #takeTerminated(unitSize: 1 | 2): Uint8Array {
    const start = this.#offset;
    for (let end = start; end + unitSize <= this.#bytes.length; end += unitSize) {
      if ((unitSize === 1 ? this.#view.getUint8(end) : this.#view.getUint16(end)) === 0) {
        this.#offset = end + unitSize;
        return this.#bytes.subarray(start, end);
      }
    }
    this.#offset = this.#bytes.length;
    return this.#bytes.subarray(start);
  }

  /** The second byte of a SID counts its sub-authorities. */
  #sizeOfSid(field: ParsedField): number {
    this.#require(8, field);
    return sidSize(this.#view.getUint8(this.#offset + 1));
  }

  #take(size: number, field: ParsedField): Uint8Array {
    this.#require(size, field);
    const bytes = this.#bytes.subarray(this.#offset, this.#offset + size);
    this.#offset += size;
    return bytes;
  }

  #readUint16(field: ParsedField): number {
    this.#require(2, field);
    const value = this.#view.getUint16(this.#offset, true);
    this.#offset += 2;
    return value;
  }

  #require(size: number, field: ParsedField): void {
    const left = this.#bytes.length - this.#offset;
    if (size > left) {
      this.#fail(
        `The payload ends inside field "${field.name}": ${size} bytes are needed, ${left} are left.`,
      );
    }
  }

  #refuseInType(field: ParsedField): never {
    const message = `Field "${field.name}" has the unknown InType ${field.inType}.`;
    throw new TraceLoggingError('metadata', field.offset, message);
  }

  #fail(message: string): never {
    throw new TraceLoggingError('payload', this.#offset, message);
  }
}

/** The size of a value whose payload does not contain it. */
function fixedSizeOf(inType: number): number | undefined {
  switch (inType) {
    case InType.Null:
      return 0;
    case InType.Int8:
    case InType.UInt8:
      return 1;
    case InType.Int16:
    case InType.UInt16:
      return 2;
    case InType.Int32:
    case InType.UInt32:
    case InType.Float:
    case InType.Bool32:
    case InType.HexInt32:
      return 4;
    case InType.Int64:
    case InType.UInt64:
    case InType.Double:
    case InType.FileTime:
    case InType.HexInt64:
      return 8;
    case InType.Guid:
    case InType.SystemTime:
      return 16;
    default:
      return undefined;
  }
}
