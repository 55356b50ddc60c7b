/** Snappy's block format, written. Source: google/snappy, format_description.txt. */
import { putVarUint } from '../../base/byte-writer.ts';
import { viewOf } from '../../base/bytes.ts';

/** Offsets of copies are relative to a block's start, and take 16 bits. */
const BLOCK = 1 << 16;
const HASH_BITS = 14;
const MULTIPLIER = 0x1e35a7bd;
/** Shorter ends of a block are literals. */
const MARGIN = 15;
/** Longer literals need their length behind the tag. */
const SHORT_LITERAL = 60;
const table = new Uint16Array(1 << HASH_BITS);

export function snappy(input: Uint8Array): Uint8Array {
  const view = viewOf(input);
  const out = Buffer.allocUnsafe(32 + input.length + Math.ceil(input.length / 6));
  let at = putVarUint(out, 0, input.length);
  for (let start = 0; start < input.length; start += BLOCK) {
    at = putBlock(input, view, start, Math.min(start + BLOCK, input.length), out, at);
  }
  return out.subarray(0, at);
}

function putBlock(
  input: Uint8Array,
  view: DataView,
  start: number,
  end: number,
  out: Buffer,
  outAt: number,
): number {
  table.fill(0);
  const limit = end - MARGIN;
  let at = outAt;
  let literal = start;
  let i = start + 1;
  // The longer nothing matches, the larger the steps.
  let skip = 32;
  while (i < limit) {
    const word = view.getInt32(i, true);
    const hash = Math.imul(word, MULTIPLIER) >>> (32 - HASH_BITS);
    const candidate = start + (table[hash] as number);
    table[hash] = i - start;
    if (candidate >= i || view.getInt32(candidate, true) !== word) {
      i += skip++ >>> 5;
      continue;
    }
    at = putLiteral(input, literal, i, out, at);
    let length = 4;
    while (i + length < end && input[candidate + length] === input[i + length]) length++;
    at = putCopy(out, at, i - candidate, length);
    i += length;
    literal = i;
    skip = 32;
  }
  return putLiteral(input, literal, end, out, at);
}

function putLiteral(input: Uint8Array, start: number, end: number, out: Buffer, outAt: number): number {
  const length = end - start;
  if (length === 0) return outAt;
  let at = outAt;
  const rest = length - 1;
  if (rest < SHORT_LITERAL) out[at++] = rest << 2;
  else {
    const sizeBytes = rest < 0x100 ? 1 : 2;
    out[at++] = (SHORT_LITERAL - 1 + sizeBytes) << 2;
    out[at++] = rest;
    if (sizeBytes === 2) out[at++] = rest >>> 8;
  }
  if (length > 32) out.set(input.subarray(start, end), at);
  else for (let i = 0; i < length; i++) out[at + i] = input[start + i] as number;
  return at + length;
}

/** Copies take 1 to 64 bytes, short ones of 4 to 11 with near offsets a byte less. */
function putCopy(out: Buffer, outAt: number, offset: number, length: number): number {
  let at = outAt;
  let left = length;
  for (; left >= 68; left -= 64) at = putLongCopy(out, at, offset, 64);
  if (left > 64) {
    at = putLongCopy(out, at, offset, 60);
    left -= 60;
  }
  if (left >= 12 || offset >= 2048) return putLongCopy(out, at, offset, left);
  out[at] = ((offset >>> 8) << 5) | ((left - 4) << 2) | 1;
  out[at + 1] = offset;
  return at + 2;
}

function putLongCopy(out: Buffer, at: number, offset: number, length: number): number {
  out[at] = ((length - 1) << 2) | 2;
  out[at + 1] = offset;
  out[at + 2] = offset >>> 8;
  return at + 3;
}
