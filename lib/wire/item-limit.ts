/**
 * How many values an event's payload may be decoded into, whatever its format: more than its bytes can be
 * values and structs around them. Without a limit a few bytes of arrays of nothing, or of structs of nothing,
 * could be more values than any memory holds.
 */

/** Values that need no bytes, such as empty texts of a given length, may be so many in any event. */
const WITHOUT_BYTES = 64;

/** @param size bytes of the payload */
export function itemLimit(size: number): number {
  return WITHOUT_BYTES + 2 * size;
}
