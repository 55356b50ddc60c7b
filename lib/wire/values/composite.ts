/**
 * Makes writers of writers: for values that may be absent, for arrays and for structs. In EventHeader and
 * TraceLogging alike the counts before them are 16 bits.
 */
import { SCRATCH_LIMIT, scratchView } from '../scratch.ts';
import { writeEmpty } from './binary.ts';
import { countBadValue, type FieldsWriter, noRoom, type Payload, type ValueWriter } from './faults.ts';

/** Any of the fixed-size writers, after a u16 length: 0 for null and undefined. */
export function nullable(size: number, write: ValueWriter): ValueWriter {
  return (offset, value) => {
    const absent = value === null || value === undefined;
    scratchView.setUint16(offset, absent ? 0 : size, true);
    return absent ? offset + 2 : write(offset + 2, value);
  };
}

/** A writer of counted values, which has its own null: no bytes. */
export function nullableCounted(write: ValueWriter): ValueWriter {
  return (offset, value) => {
    if (value !== null && value !== undefined) return write(offset, value);
    return writeEmpty(offset);
  };
}

/** The elements one after the other, after a u16 count of them. Takes any array or typed array. */
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

/** What an array field takes. */
export function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** A struct: its fields one after the other. What is no object counts as one without any of them. */
export function struct(writeFields: FieldsWriter): ValueWriter {
  return (offset, value) => {
    if (typeof value === 'object' && value !== null) return writeFields(offset, value as Payload);
    countBadValue();
    return writeFields(offset, NO_FIELDS);
  };
}
const NO_FIELDS: Payload = {};
