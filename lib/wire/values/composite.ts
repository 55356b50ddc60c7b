/**
 * Combines writers: for nullable values, arrays and structs. In both EventHeader and TraceLogging, the counts before
 * them have 16 bits.
 */
import { SCRATCH_LIMIT, scratch, scratchView } from '../scratch.ts';
import { writeEmpty } from './binary.ts';
import { isArrayLike } from './checks.ts';
import {
  asOneBadValue,
  countBadValue,
  type FieldsWriter,
  noRoom,
  type Payload,
  type ValueWriter,
} from './faults.ts';
import * as numbers from './numbers.ts';

/** Any fixed-size writer, after a u16 length: 0 for null and undefined. */
export function nullable(size: number, write: ValueWriter): ValueWriter {
  return (offset, value) => {
    const absent = value === null || value === undefined;
    scratchView.setUint16(offset, absent ? 0 : size, true);
    return absent ? offset + 2 : write(offset + 2, value);
  };
}

/** A writer of counted values, which have their own null: no bytes. */
export function nullableCounted(write: ValueWriter): ValueWriter {
  return (offset, value) => {
    if (value !== null && value !== undefined) return write(offset, value);
    return writeEmpty(offset);
  };
}

/** Typed arrays whose memory is what the writer of their elements writes: packed and little-endian. */
const COPIED: ReadonlyMap<ValueWriter, TypedArrayConstructor> = new Map<ValueWriter, TypedArrayConstructor>(
  isLittleEndian()
    ? [
        [numbers.writeInt8, Int8Array],
        [numbers.writeInt16, Int16Array],
        [numbers.writeInt32, Int32Array],
        [numbers.writeInt64, BigInt64Array],
        [numbers.writeUint8, Uint8Array],
        [numbers.writeUint16, Uint16Array],
        [numbers.writeUint32, Uint32Array],
        [numbers.writeUint64, BigUint64Array],
        [numbers.writeFloat, Float32Array],
        [numbers.writeDouble, Float64Array],
      ]
    : [],
);
type TypedArrayConstructor = abstract new (...args: never[]) => ArrayBufferView & { readonly length: number };

function isLittleEndian(): boolean {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
}

/** The elements in sequence, after a u16 count of them. Accepts any array or typed array. */
export function array(write: ValueWriter): ValueWriter {
  const copied = COPIED.get(write);
  return (offset, value) => {
    if (!isArrayLike(value)) {
      countBadValue();
      return writeEmpty(offset);
    }
    if (copied !== undefined && value instanceof copied) return copy(offset, value);
    const count = value.length;
    let end = offset + 2;
    for (let index = 0; index < count; index++) {
      end = write(end, value[index]);
      if (end > SCRATCH_LIMIT) return noRoom(offset);
    }
    scratchView.setUint16(offset, count, true);
    return end;
  };
}

function copy(offset: number, elements: ArrayBufferView & { readonly length: number }): number {
  // Also if the array's memory has been transferred.
  if (elements.length === 0) return writeEmpty(offset);
  const start = offset + 2;
  const end = start + elements.byteLength;
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  scratch.set(new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength), start);
  scratchView.setUint16(offset, elements.length, true);
  return end;
}

/** A struct: its fields in sequence. Anything that is not an object counts as one bad value, and as one without fields. */
export function struct(writeFields: FieldsWriter): ValueWriter {
  return (offset, value) => {
    if (typeof value === 'object' && value !== null) return writeFields(offset, value as Payload);
    return asOneBadValue(() => writeFields(offset, NO_FIELDS));
  };
}
const NO_FIELDS: Payload = {};
