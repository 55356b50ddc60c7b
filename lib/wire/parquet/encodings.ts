/** Parquet's encodings of numbers. Source: apache/parquet-format, Encodings.md. */
import type { ByteWriter } from '../../base/byte-writer.ts';

/** Values are packed in groups of 8. */
const GROUP = 8;
const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;
const TWO_TO_32 = 2 ** 32;
const TWO_TO_24 = 2 ** 24;

/** The number of bits that numbers up to this one take. */
export function bitWidth(max: number): number {
  return max >= TWO_TO_32 ? 64 - Math.clz32(Math.floor(max / TWO_TO_32)) : 32 - Math.clz32(max);
}

/**
 * Runs of equal values, and packed bits of others.
 *
 * @param width up to 24
 */
export function putHybrid(
  out: ByteWriter,
  values: Uint8Array | Uint32Array,
  count: number,
  width: number,
): void {
  let packedFrom = 0;
  for (let at = 0; at < count; ) {
    const value = values[at];
    let end = at + 1;
    while (end < count && values[end] === value) end++;
    // Packed bits take the run's first values to be a multiple of 8.
    const from = at + ((GROUP - ((at - packedFrom) % GROUP)) % GROUP);
    if (end - from >= GROUP) {
      putPacked(out, values, packedFrom, from, width);
      out.varUint((end - from) * 2);
      for (let bits = 0; bits < width; bits += 8) out.uint8(((value as number) >>> bits) & 0xff);
      packedFrom = end;
    }
    at = end;
  }
  putPacked(out, values, packedFrom, count, width);
}

function putPacked(
  out: ByteWriter,
  values: Uint8Array | Uint32Array,
  start: number,
  end: number,
  width: number,
): void {
  if (start === end) return;
  const groups = Math.ceil((end - start) / GROUP);
  out.varUint(groups * 2 + 1);
  out.reserve(groups * width + 4);
  const { buffer } = out;
  let at = out.length;
  let bits = 0;
  let used = 0;
  for (let i = start; i < end; i++) {
    bits |= (values[i] as number) << used;
    used += width;
    for (; used >= 8; used -= 8) {
      buffer[at++] = bits;
      bits >>>= 8;
    }
  }
  if (used > 0) buffer[at++] = bits;
  const packedEnd = out.length + groups * width;
  buffer.fill(0, at, packedEnd);
  out.length = packedEnd;
}

/**
 * Integers as their differences.
 *
 * @param deltas from the second value on: the difference to the one before, exact
 */
export function putDeltas(out: ByteWriter, first: bigint, deltas: Float64Array, count: number): void {
  out.varUint(BLOCK).varUint(MINIBLOCKS).varUint(count);
  out.varUint64((first << 1n) ^ (first >> 63n));
  for (let start = 1; start < count; start += BLOCK) {
    putBlock(out, deltas, start, Math.min(start + BLOCK, count));
  }
}

function putBlock(out: ByteWriter, deltas: Float64Array, start: number, end: number): void {
  let min = deltas[start] as number;
  for (let i = start + 1; i < end; i++) if ((deltas[i] as number) < min) min = deltas[i] as number;
  const signed = BigInt(min);
  out.varUint64((signed << 1n) ^ (signed >> 63n));
  out.reserve(MINIBLOCKS + BLOCK * 8);
  const { buffer } = out;
  const widthsAt = out.length;
  out.length += MINIBLOCKS;
  for (let mini = 0; mini < MINIBLOCKS; mini++) {
    const from = start + mini * MINIBLOCK;
    const to = Math.min(from + MINIBLOCK, end);
    let max = 0;
    for (let i = from; i < to; i++) max = Math.max(max, (deltas[i] as number) - min);
    const width = from < to ? bitWidth(max) : 0;
    buffer[widthsAt + mini] = width;
    putMiniblock(out, deltas, from, to, min, width);
  }
}

function putMiniblock(
  out: ByteWriter,
  deltas: Float64Array,
  from: number,
  to: number,
  min: number,
  width: number,
): void {
  const { buffer } = out;
  let at = out.length;
  const packedEnd = at + (MINIBLOCK / 8) * width;
  let bits = 0;
  let used = 0;
  for (let i = from; i < to; i++) {
    let value = (deltas[i] as number) - min;
    for (let left = width; left > 0; left -= 24) {
      const taken = Math.min(left, 24);
      bits |= (value % TWO_TO_24) << used;
      value = Math.floor(value / TWO_TO_24);
      used += taken;
      for (; used >= 8; used -= 8) {
        buffer[at++] = bits;
        bits >>>= 8;
      }
    }
  }
  if (used > 0) buffer[at++] = bits;
  if (at < packedEnd) buffer.fill(0, at, packedEnd);
  out.length = packedEnd;
}
