/**
 * Walks an event's payload by its metadata: every field, element and struct in order, passing each value's bytes to the
 * caller, who decodes them.
 *
 * Strings and arrays contain their own length, so the position of a field is known only after reading all fields before
 * it. Errors and limits are those of Microsoft's C++ decoder (LinuxTracepoints, EventEnumerator), with one difference:
 * constant-length arrays of structs, which that decoder misreads.
 */
import type { ShapedField, Value } from '../decoded-field.ts';
import { nameCost } from '../output-limits.ts';
import { Encoding, type Format } from './constants.ts';
import { EventHeaderError, EventHeaderErrorCode } from './error.ts';
import type { ParsedField, ParsedFields } from './parse-metadata.ts';
import { readValue } from './value.ts';
import { valueKindOf } from './value-kind.ts';

/**
 * Steps per event: each value, each start and end of an array or a struct, and the end of the event. Without a limit, a
 * few bytes of nested empty structs could keep a decoder busy for years.
 */
export const ITEM_LIMIT = 4096;

/** What every field has. */
interface FieldHead {
  readonly name: string;
  /** 0: none. */
  readonly tag: number;
  readonly encoding: Encoding;
  readonly format: Format;
}

/** A decoded field, with a value from the caller. */
export type DecodedField<V> = ShapedField<FieldHead, V>;

/** The positions of the two parts that describe an event. */
export interface EventBytes {
  /** These contain the event from `start`, its header, to `end`. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
  readonly littleEndian: boolean;
  readonly metadataStart: number;
  /** What follows the payload, such as perf's padding, is ignored. */
  readonly payloadStart: number;
}

/**
 * Decodes a field's bytes: those of the value alone, without count or terminator.
 * @returns `undefined` if the field's encoding is unknown
 */
type ConvertValue<V> = (field: ParsedField, bytes: Uint8Array) => V | undefined;

/**
 * Decodes the fields to natural JavaScript values; see `Value`. Times are seconds since 1970.
 * @throws EventHeaderError at the first field that cannot be decoded
 */
export function decodeValues(metadata: ParsedFields, event: EventBytes): readonly DecodedField<Value>[] {
  return decodeFields(metadata, event, ({ encoding, format }, bytes) => {
    const kind = valueKindOf(encoding, format, bytes.length);
    return kind === undefined ? undefined : readValue(kind, bytes, event.littleEndian);
  });
}

/** @throws EventHeaderError at the first field that cannot be decoded */
export function decodeFields<V>(
  metadata: ParsedFields,
  event: EventBytes,
  convert: ConvertValue<V>,
): readonly DecodedField<V>[] {
  const decoder = new PayloadDecoder(event, convert);
  const fields = decoder.readFields(metadata);
  decoder.step();
  return fields;
}

class PayloadDecoder<V> {
  readonly #event: EventBytes;
  readonly #convert: ConvertValue<V>;
  readonly #view: DataView;
  #offset: number;
  #stepsLeft = ITEM_LIMIT;

  constructor(event: EventBytes, convert: ConvertValue<V>) {
    this.#event = event;
    this.#convert = convert;
    this.#view = event.view;
    this.#offset = event.payloadStart;
  }

  step(): void {
    if (this.#stepsLeft <= 0) {
      this.#fail(EventHeaderErrorCode.TooManyItems, `The event has more than ${ITEM_LIMIT} items.`);
    }
    this.#stepsLeft--;
  }

  readFields(parsed: ParsedFields): DecodedField<V>[] {
    const fields: DecodedField<V>[] = [];
    for (const field of parsed.fields) fields.push(this.#readField(field));
    this.#throwFault(parsed);
    return fields;
  }

  #readField(field: ParsedField): DecodedField<V> {
    const { name, tag, members } = field;
    this.#stepsLeft -= nameCost(name);
    this.step();
    const encoding = field.encoding as Encoding;
    const format = field.format as Format;
    if (members === undefined) {
      return field.array === undefined
        ? { name, tag, encoding, format, shape: 'value', value: this.#readValue(field) }
        : { name, tag, encoding, format, shape: 'array', value: this.#readArray(field) };
    }
    if (field.format === 0) this.#fail(EventHeaderErrorCode.BadMessage, `Struct "${name}" has no fields.`);
    return field.array === undefined
      ? { name, tag, encoding, format, shape: 'struct', value: this.#readStruct(members) }
      : { name, tag, encoding, format, shape: 'structArray', value: this.#readStructArray(field, members) };
  }

  #readStruct(members: ParsedFields): DecodedField<V>[] {
    const fields = this.readFields(members);
    this.step(); // The struct's end.
    return fields;
  }

  #readStructArray(field: ParsedField, members: ParsedFields): DecodedField<V>[][] {
    const count = this.#readElementCount(field);
    const structs: DecodedField<V>[][] = [];
    for (let i = 0; i < count; i++) {
      this.step(); // The struct's begin.
      structs.push(this.#readStruct(members));
    }
    if (count === 0) this.#throwFault(members);
    this.step(); // The array's end.
    return structs;
  }

  #readArray(field: ParsedField): V[] {
    const count = this.#readElementCount(field);
    // All elements of fixed size must be present before any is read.
    const elementSize = fixedSizeOf(field.encoding);
    if (elementSize !== undefined) this.#require(count * elementSize, field);
    const values: V[] = [];
    for (let i = 0; i < count; i++) {
      this.step();
      values.push(this.#readValue(field));
    }
    this.step(); // The array's end.
    return values;
  }

  #readElementCount(field: ParsedField): number {
    if (field.array === 'variable') return this.#readUint16(field);
    if (field.array === 0) {
      this.#fail(EventHeaderErrorCode.BadMessage, `Array "${field.name}" has a constant length of 0.`);
    }
    return field.array ?? 1;
  }

  #readValue(field: ParsedField): V {
    const value = this.#convert(field, this.#readBytes(field));
    if (value === undefined) this.#refuseEncoding(field);
    return value;
  }

  /** The bytes of one value; also skips its terminator. */
  #readBytes(field: ParsedField): Uint8Array {
    switch (field.encoding) {
      case Encoding.ZStringChar8:
        return this.#takeTerminated(field, 1);
      case Encoding.ZStringChar16:
        return this.#takeTerminated(field, 2);
      case Encoding.ZStringChar32:
        return this.#takeTerminated(field, 4);
      case Encoding.StringLength16Char8:
      case Encoding.BinaryLength16Char8:
        return this.#take(this.#readUint16(field), field);
      case Encoding.StringLength16Char16:
        return this.#take(this.#readUint16(field) * 2, field);
      case Encoding.StringLength16Char32:
        return this.#take(this.#readUint16(field) * 4, field);
      default:
        return this.#take(fixedSizeOf(field.encoding) ?? this.#refuseEncoding(field), field);
    }
  }

  #takeTerminated(field: ParsedField, unitSize: 1 | 2 | 4): Uint8Array {
    let end = this.#offset;
    for (; end + unitSize <= this.#event.end; end += unitSize) {
      if (this.#isZeroUnit(end, unitSize)) {
        const bytes = this.#event.bytes.subarray(this.#offset, end);
        this.#offset = end + unitSize;
        return bytes;
      }
    }
    return this.#fail(EventHeaderErrorCode.BadMessage, `The string of field "${field.name}" has no end.`);
  }

  #isZeroUnit(offset: number, unitSize: 1 | 2 | 4): boolean {
    if (unitSize === 1) return this.#view.getUint8(offset) === 0;
    return (unitSize === 2 ? this.#view.getUint16(offset) : this.#view.getUint32(offset)) === 0;
  }

  #take(size: number, field: ParsedField): Uint8Array {
    this.#require(size, field);
    const bytes = this.#event.bytes.subarray(this.#offset, this.#offset + size);
    this.#offset += size;
    return bytes;
  }

  #readUint16(field: ParsedField): number {
    this.#require(2, field);
    const value = this.#view.getUint16(this.#offset, this.#event.littleEndian);
    this.#offset += 2;
    return value;
  }

  #require(size: number, field: ParsedField): void {
    const left = this.#event.end - this.#offset;
    if (size > left) {
      this.#fail(
        EventHeaderErrorCode.BadMessage,
        `The payload ends inside field "${field.name}": ${size} bytes are needed, ${left} are left.`,
      );
    }
  }

  #throwFault(parsed: ParsedFields): void {
    if (parsed.fault === undefined) return;
    const { code, offset, message } = parsed.fault;
    throw new EventHeaderError(code, this.#offsetOfMetadata + offset, message);
  }

  #refuseEncoding(field: ParsedField): never {
    throw new EventHeaderError(
      EventHeaderErrorCode.BadMessage,
      this.#offsetOfMetadata + field.offset,
      `Field "${field.name}" has the unknown encoding ${field.encoding}.`,
    );
  }

  #fail(code: EventHeaderErrorCode, message: string): never {
    throw new EventHeaderError(code, this.#offset - this.#event.start, message);
  }

  /** The offset counts from the event's start. */
  get #offsetOfMetadata(): number {
    return this.#event.metadataStart - this.#event.start;
  }
}

/** The size of a value whose payload does not contain it. */
function fixedSizeOf(encoding: number): number | undefined {
  switch (encoding) {
    case Encoding.Value8:
      return 1;
    case Encoding.Value16:
      return 2;
    case Encoding.Value32:
      return 4;
    case Encoding.Value64:
      return 8;
    case Encoding.Value128:
      return 16;
    default:
      return undefined;
  }
}
