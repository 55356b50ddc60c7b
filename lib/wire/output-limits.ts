/**
 * How many values an event's payload may be decoded into, in any format: more than real payloads of its size contain,
 * including the structs around them. Without a limit, a few bytes of arrays or structs of nothing could expand to more
 * values than fit into any memory.
 */

/** Any event may have this many values that need no bytes, such as empty strings of a given length. */
const WITHOUT_BYTES = 64;

/** @param size of the payload in bytes */
export function itemLimit(size: number): number {
  return WITHOUT_BYTES + 2 * size;
}
