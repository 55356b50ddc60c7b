/**
 * Decodes a payload by a description of its fields. A pure function of both.
 *
 * A payload may be shorter than its description, because newer versions of an event have more fields at the end. And
 * the last string may lack its NUL, which some writers omit.
 */
import { indexOfNul, viewOf } from '../../base/bytes.ts';
import { EmptyPayload, type Payload, type Value } from '../decoded-field.ts';
import { ipAddressOf, socketAddressText } from '../ip-address.ts';
import { itemLimit, nameCost } from '../output-limits.ts';
import { decodeLatin1, decodeUtf8 } from '../text.ts';
import { utf16Text } from '../utf16.ts';
import { sidSize, sidText } from '../windows-values.ts';
import type { PackedField, PackedType } from './field.ts';
import { type Extent, type FieldLayout, layoutOf } from './layout.ts';
import { fixedSizeOf, type PointerSize, readFixed } from './value.ts';

interface DecodedPayload {
  /** The fields up to the first that cannot be read, without hidden ones. No prototype. */
  readonly payload: Payload;
  /** A sentence on why some fields are missing. */
  readonly problem?: string;
  /** The number of its values, including structs and array elements. */
  readonly values: number;
}

type Decoded = Value | readonly Value[] | Payload | readonly Payload[];

/**
 * @param fields must not change afterwards: what is derived from them is cached
 * @param bytes those after the last field are ignored, unless there is a field for them
 * @param pointerSize of the writer
 * @param rest the name of a field with the bytes after the last field, if there are any
 */
export function decodePacked(
  fields: readonly PackedField[],
  bytes: Uint8Array,
  pointerSize: PointerSize,
  rest?: string,
): DecodedPayload {
  const layout = layoutOf(fields);
  const reader = new PayloadReader(bytes, pointerSize, layout.slotCount);
  const payload = reader.readPayload(layout.fields);
  if (rest !== undefined) reader.addRest(payload, rest);
  const { problem, values } = reader;
  return problem === undefined ? { payload, values } : { payload, problem, values };
}

/** Its methods return undefined if the payload ends too early, or if they have recorded a problem. */
class PayloadReader {
  problem: string | undefined = undefined;
  values = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #pointerSize: PointerSize;
  /** The values of fields to which others refer. */
  readonly #slots: (Decoded | undefined)[];
  #offset = 0;
  readonly #limit: number;

  constructor(bytes: Uint8Array, pointerSize: PointerSize, slotCount: number) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#pointerSize = pointerSize;
    this.#slots = slotCount === 0 ? NO_SLOTS : new Array(slotCount);
    this.#limit = itemLimit(bytes.length);
  }

  readPayload(fields: readonly FieldLayout[]): Payload {
    const payload = new EmptyPayload();
    for (const field of fields) {
      const start = this.#offset;
      const value = this.#readField(field);
      if (value === undefined) {
        if (start < this.#bytes.length || this.#promises(field)) {
          this.problem ??= `The payload ends inside field "${field.name}", which starts at byte ${start} of ${this.#bytes.length}.`;
        }
        break;
      }
      if (!field.isHidden) payload[field.name] = value;
    }
    return payload;
  }

  addRest(payload: Payload, name: string): void {
    if (this.problem === undefined && this.#offset < this.#bytes.length)
      payload[name] = this.#bytes.subarray(this.#offset);
  }

  /** Whether an earlier field says that this one is present. */
  #promises({ length, count }: FieldLayout): boolean {
    return typeof length === 'object' || typeof count === 'object';
  }

  #readField(field: FieldLayout): Decoded | undefined {
    this.values += nameCost(field.name);
    const value = field.count === undefined ? this.#readItem(field) : this.#readItems(field, field.count);
    if (field.slot !== undefined) this.#slots[field.slot] = value;
    return value;
  }

  #readItems(field: FieldLayout, extent: Extent): Decoded | undefined {
    const items: (Value | Payload)[] = [];
    const count = extent === '*' ? Number.POSITIVE_INFINITY : this.#extentOf(extent, field);
    if (count === undefined) return undefined;
    while (items.length < count && !(extent === '*' && this.#offset === this.#bytes.length)) {
      const item = this.#readItem(field);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items as readonly Value[] | readonly Payload[];
  }

  #readItem(field: FieldLayout): Value | Payload | undefined {
    if (++this.values > this.#limit) {
      return this.#fail(`The event has more values than fit into its ${this.#bytes.length} bytes.`);
    }
    if (field.type === 'struct') return this.#readStruct(field);
    const size = fixedSizeOf(field.type, this.#pointerSize);
    if (size === undefined) return this.#readSized(field);
    const offset = this.#offset;
    if (size > this.#bytes.length - offset) return undefined;
    this.#offset = offset + size;
    return readFixed(field.type, this.#view, offset, this.#pointerSize);
  }

  #readStruct(field: FieldLayout): Payload | undefined {
    const struct = new EmptyPayload();
    for (const member of field.members) {
      const value = this.#readField(member);
      if (value === undefined) return undefined;
      if (!member.isHidden) struct[member.name] = value;
    }
    return struct;
  }

  /** Reads a type whose size is in the payload or in another field. */
  #readSized(field: FieldLayout): Value | undefined {
    switch (field.type) {
      case 'utf16':
      case 'ansi':
      case 'utf8':
        return field.length === undefined
          ? this.#readTerminated(field.type)
          : this.#readText(field.type, field.length, field);
      case 'utf16Counted':
        return this.#readCounted('utf16');
      case 'ansiCounted':
        return this.#readCounted('ansi');
      case 'binary':
        return this.#readBinary(field);
      case 'ipBinary':
        return shownAs(ipAddressOf, this.#readBinary(field));
      case 'socketAddress':
        return shownAs(socketAddressText, this.#readBinary(field));
      case 'binaryCounted':
        return this.#takeCounted();
      case 'sid':
        return this.#readSid();
      case 'wbemSid':
        return this.#readWbemSid();
      default:
        return this.#refuseType(field);
    }
  }

  #readTerminated(type: TextType): string | undefined {
    const start = this.#offset;
    const end = this.#bytes.length;
    if (start === end) return undefined;
    const nul = type === 'utf16' ? this.#indexOfNul16(start) : indexOfNul(this.#bytes, start, end);
    this.#offset = nul < 0 ? end : nul + unitSize(type);
    return textOf(type, this.#bytes.subarray(start, nul < 0 ? end : nul));
  }

  #indexOfNul16(start: number): number {
    const bytes = this.#bytes;
    for (let at = start; at + 2 <= bytes.length; at += 2) {
      if (bytes[at] === 0 && bytes[at + 1] === 0) return at;
    }
    return -1;
  }

  /** Text of a given length, which writers pad with NULs. */
  #readText(type: TextType, length: Extent, field: FieldLayout): string | undefined {
    const characters = this.#extentOf(length, field);
    const bytes = characters === undefined ? undefined : this.#take(characters * unitSize(type));
    if (bytes === undefined) return undefined;
    const text = textOf(type, bytes);
    const nul = text.indexOf('\0');
    return nul < 0 ? text : text.slice(0, nul);
  }

  #readCounted(type: TextType): string | undefined {
    const bytes = this.#takeCounted();
    return bytes === undefined ? undefined : textOf(type, bytes);
  }

  #takeCounted(): Uint8Array | undefined {
    const count = this.#take(2);
    return count === undefined ? undefined : this.#take(viewOf(count).getUint16(0, true));
  }

  #readBinary(field: FieldLayout): Uint8Array | undefined {
    const size = this.#extentOf(field.length ?? '*', field);
    return size === undefined ? undefined : this.#take(size);
  }

  #readSid(): string | undefined {
    const subAuthorities = this.#bytes[this.#offset + 1];
    const bytes = subAuthorities === undefined ? undefined : this.#take(sidSize(subAuthorities));
    return bytes === undefined ? undefined : sidText(viewOf(bytes));
  }

  #readWbemSid(): string | null | undefined {
    const offset = this.#offset;
    if (this.#bytes.length - offset < 4) return undefined;
    if (this.#view.getUint32(offset, true) === 0) {
      this.#offset = offset + 4;
      return null;
    }
    return this.#take(2 * this.#pointerSize) === undefined ? undefined : this.#readSid();
  }

  #refuseType(field: FieldLayout): undefined {
    // At the end of the payload, the field is absent, and nothing is missing.
    if (this.#offset === this.#bytes.length) return undefined;
    return this.#fail(`Field "${field.name}" has the unknown type "${field.typeName ?? field.type}".`);
  }

  #take(size: number): Uint8Array | undefined {
    const start = this.#offset;
    if (size > this.#bytes.length - start) return undefined;
    this.#offset = start + size;
    return this.#bytes.subarray(start, this.#offset);
  }

  /** The number of bytes, characters or elements; for `*`, the bytes that are left. */
  #extentOf(extent: Extent, field: FieldLayout): number | undefined {
    if (typeof extent === 'number') return extent;
    if (extent === '*') return this.#bytes.length - this.#offset;
    const value = extent.slot === undefined ? undefined : this.#slots[extent.slot];
    const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
    if (number !== undefined && number >= 0) return number;
    const reason = number === undefined ? 'not an earlier number' : `${value}`;
    return this.#fail(`Field "${field.name}" takes its length from "${extent.name}", which is ${reason}.`);
  }

  #fail(problem: string): undefined {
    this.problem = problem;
    return undefined;
  }
}

/** Bytes with an unexpected layout stay bytes. */
function shownAs(
  textOf: (bytes: Uint8Array) => string | undefined,
  bytes: Uint8Array | undefined,
): string | Uint8Array | undefined {
  return bytes === undefined ? undefined : (textOf(bytes) ?? bytes);
}

const NO_SLOTS: (Decoded | undefined)[] = [];

type TextType = Extract<PackedType, 'utf16' | 'ansi' | 'utf8'>;

function unitSize(type: TextType): 1 | 2 {
  return type === 'utf16' ? 2 : 1;
}

function textOf(type: TextType, bytes: Uint8Array): string {
  switch (type) {
    case 'utf16':
      return utf16Text(bytes, 0, bytes.length);
    case 'utf8':
      return decodeUtf8(bytes);
    case 'ansi':
      return decodeLatin1(bytes);
  }
}
