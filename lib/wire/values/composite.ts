/**
 * Combines writers: for nullable values, arrays and structs. In both EventHeader and TraceLogging, the counts before
 * them have 16 bits.
 */
import { SCRATCH_LIMIT, scratchView } from '../scratch.ts';
import { writeEmpty } from './binary.ts';
import { countBadValue, type FieldsWriter, noRoom, type Payload, type ValueWriter } from './faults.ts';

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

/** The elements in sequence, after a u16 count of them. Accepts any array or typed array. */
export function array(write: ValueWriter): ValueWriter {
  return (offset, value) => {
    if (!isArrayLike(value)) {
      countBadValue();
      return writeEmpty(offset);
    }
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

/** The values that an array field accepts. */
export function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** A struct: its fields in sequence. Anything that is not an object counts as one without fields. */
export function struct(writeFields: FieldsWriter): ValueWriter {
  return (offset, value) => {
    if (typeof value === 'object' && value !== null) return writeFields(offset, value as Payload);
    countBadValue();
    return writeFields(offset, NO_FIELDS);
  };
}
const NO_FIELDS: Payload = {};
