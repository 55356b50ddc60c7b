/**
 * The values of a tracepoint's declared fields, from a sample's raw data. For EventHeader events these are only the
 * eight bytes of the header; `wire/eventheader` reads their own fields.
 */
import { indexOfNul, readSigned, readUnsigned } from '../../base/bytes.ts';
import { decodeUtf8 } from '../text.ts';
import type { TracepointField } from './tracepoint-format.ts';

/**
 * Integers up to 32 bits are numbers, 64-bit integers bigints; char arrays strings up to their NUL; integer arrays
 * arrays; anything of another size is its bytes. `undefined` if the raw data ends before the field.
 */
type TracepointValue = number | bigint | string | Uint8Array | readonly (number | bigint)[] | undefined;

const LOCATION_SIZE = 4;

/**
 * @param raw contains the sample's raw data, which has the common fields first, from `start` to `end`
 */
export function readTracepointValue(
  field: TracepointField,
  raw: Uint8Array,
  littleEndian: boolean,
  start = 0,
  end: number = raw.length,
): TracepointValue {
  let from = start + field.offset;
  let to = field.size === 0 ? end : from + field.size;
  if (to < from || to > end) return undefined;
  if (field.location !== undefined) {
    if (field.size !== LOCATION_SIZE) return undefined;
    const location = readUnsigned(raw, littleEndian, from, LOCATION_SIZE) as number;
    from = (location & 0xffff) + (field.location === 'relative' ? to : start);
    to = from + (location >>> 16);
    if (to > end) return undefined;
  }
  const read = field.signed ? readSigned : readUnsigned;
  const size = to - from;
  if (!field.isArray)
    return isIntegerSize(size) ? read(raw, littleEndian, from, size) : raw.subarray(from, to);
  if (field.isText) {
    const nul = indexOfNul(raw, from, to);
    return decodeUtf8(raw, from, nul < 0 ? to : nul);
  }
  const { elementSize = 1 } = field;
  if (elementSize === 1 || size % elementSize !== 0) return raw.subarray(from, to);
  return Array.from({ length: size / elementSize }, (_, i) =>
    read(raw, littleEndian, from + i * elementSize, elementSize),
  );
}

function isIntegerSize(size: number): boolean {
  return size === 1 || size === 2 || size === 4 || size === 8;
}
