/**
 * The tag of an event or a field: 28 bits, 7 per byte, highest first; the highest bit of a byte says that another
 * follows. Trailing zeros may be omitted.
 */

const GROUPS = [21, 14, 7, 0];

/** The bytes of a tag, 0 to 2^28 - 1; at least one, and no more than needed. */
export function encodeTag(tag: number): number[] {
  const groups = GROUPS.map((shift) => (tag >>> shift) & 0x7f);
  while (groups.length > 1 && groups.at(-1) === 0) groups.pop();
  return groups.map((group, index) => (index < groups.length - 1 ? group | 0x80 : group));
}

/**
 * Reads a tag of any form, including one with trailing zeros; bytes after the fourth are ignored.
 *
 * @returns the tag, and the offset after it; undefined if the bytes end inside it
 */
export function decodeTag(bytes: Uint8Array, offset: number): { tag: number; end: number } | undefined {
  let tag = 0;
  for (let end = offset; end < bytes.length; end++) {
    const byte = bytes[end] as number;
    const shift = GROUPS[end - offset];
    if (shift !== undefined) tag |= (byte & 0x7f) << shift;
    if ((byte & 0x80) === 0) return { tag, end: end + 1 };
  }
  return undefined;
}
