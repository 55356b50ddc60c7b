/**
 * Mutates a file with known parts: offsets that a reader uses are hit far more often than those inside payloads, and
 * parts are removed, repeated and moved as a whole.
 *
 * @typedef {object} Part a record, block or buffer, with the offsets of its fields
 * @property {number} start
 * @property {number} end
 * @property {readonly number[]} fields offsets in the file of numbers that control the reader
 */

const BYTES = [0, 1, 2, 3, 0x1f, 0x20, 0x7f, 0x80, 0xfe, 0xff];
const NUMBERS = [
  0, 1, 2, 7, 8, 0x47, 0x48, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x00ffffff, 0x7fffffff,
  0x80000000, 0xfffffff8, 0xffffffff,
];
const MAX_MUTATIONS = 6;

/**
 * A mutated copy.
 *
 * @param {Uint8Array} bytes
 * @param {readonly Part[]} parts in order; may be empty
 * @param {import('./random.mjs').Random} random
 */
export function mutated(bytes, parts, random) {
  let result = Buffer.from(bytes);
  for (let left = 1 + random.below(MAX_MUTATIONS); left > 0; left--) {
    result = random.below(8) === 0 ? moved(result, parts, random) : changed(result, parts, random);
    if (result.length === 0) return result;
  }
  return result;
}

/** Changes one number of the file. */
function changed(bytes, parts, random) {
  const at = offsetOf(bytes, parts, random);
  switch (random.below(7)) {
    case 0:
      bytes[at] ^= 1 << random.below(8);
      break;
    case 1:
      bytes[at] = random.of(BYTES);
      break;
    case 2:
      bytes[at] = random.below(256);
      break;
    case 3:
      if (at + 2 <= bytes.length) bytes.writeUInt16LE(random.of(NUMBERS) & 0xffff, at);
      break;
    case 4:
      if (at + 4 <= bytes.length) bytes.writeUInt32LE(random.of(NUMBERS), at);
      break;
    case 5: // Slightly more or less than it was: sizes and counts that nearly fit.
      if (at + 4 <= bytes.length) {
        bytes.writeUInt32LE((bytes.readUInt32LE(at) + random.below(17) - 8) >>> 0, at);
      }
      break;
    case 6:
      if (at + 8 <= bytes.length) bytes.writeBigUInt64LE((1n << 64n) - 1n - BigInt(random.below(16)), at);
      break;
  }
  return bytes;
}

function offsetOf(bytes, parts, random) {
  const part = parts.length > 0 && random.below(4) > 0 ? random.of(parts) : undefined;
  const at = part?.fields.length > 0 ? random.of(part.fields) + random.below(2) : random.below(bytes.length);
  return Math.min(at, bytes.length - 1);
}

/** Removes, repeats or moves bytes, mostly a whole part; or cuts the file. */
function moved(bytes, parts, random) {
  const { start, end } = parts.length > 0 && random.below(3) > 0 ? random.of(parts) : anyPart(bytes, random);
  const piece = bytes.subarray(Math.min(start, bytes.length), Math.min(end, bytes.length));
  switch (random.below(4)) {
    case 0:
      return Buffer.from(bytes.subarray(0, random.below(2) === 0 ? start : random.below(bytes.length)));
    case 1:
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, end), piece, bytes.subarray(end)]);
    default: {
      const to = parts.length > 0 ? random.of(parts).start : random.below(bytes.length);
      return Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)]);
    }
  }
}

function anyPart(bytes, random) {
  const start = random.below(bytes.length);
  return { start, end: start + 1 + random.below(64) };
}
