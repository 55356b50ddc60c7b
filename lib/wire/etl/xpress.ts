/**
 * Decompresses buffers: "plain LZ77" of the Xpress algorithm.
 *
 * Words of 32 flags, highest first, precede the items they describe: 0 is a byte to copy, 1 a match u16, whose upper 13
 * bits are the distance minus 1 and whose lower 3 bits are the length minus 3. A length of 7 continues in half a byte,
 * which two matches share; 15 there continues in a byte; 255 there in a u16, and 0 there in a u32, which hold the full
 * length minus 3. Source: [MS-XCA] 2.3 and 2.4.
 */
import { viewOf } from '../../base/bytes.ts';

const FLAG_WORD_BITS = 32;
const MIN_MATCH = 3;
const LENGTH_MASK = 7;
const HALF_BYTE_MAX = 15;
const BYTE_MAX = 255;
/** The size of the two words copied at a time; a closer match would overlap them. */
const WORDS_SIZE = 8;
const LENGTH_PROBLEM = 'The compressed data ends inside the length of a match.';

interface Decompressed {
  /** How many bytes of the output have been written. */
  readonly size: number;
  /** A sentence on why the rest is missing. */
  readonly problem?: string;
}

/**
 * Writes to `output` until it is full or the input ends. Never fails: what precedes the damage is kept.
 *
 * @param start where in `output` the first byte goes
 */
export function decompressXpress(input: Uint8Array, output: Uint8Array, start: number): Decompressed {
  const view = viewOf(input);
  const outputView = viewOf(output);
  const limit = output.length;
  let from = 0;
  let to = start;
  let flags = 0;
  let flagsLeft = 0;
  let halfByteAt = -1;
  const ended = (problem?: string): Decompressed =>
    problem === undefined ? { size: to - start } : { size: to - start, problem };

  while (to < limit) {
    if (flagsLeft === 0) {
      if (from + 4 > input.length) return ended();
      flags = view.getInt32(from, true);
      from += 4;
      flagsLeft = FLAG_WORD_BITS;
    }
    if (flags >= 0) {
      const run = Math.min(Math.clz32(flags), flagsLeft);
      const end = to + Math.min(run, limit - to, input.length - from);
      while (to < end) output[to++] = input[from++] as number;
      if (to < limit && from === input.length) return ended();
      // A shift by 32 bits would have no effect.
      flags = run === FLAG_WORD_BITS ? 0 : flags << run;
      flagsLeft -= run;
      continue;
    }
    flags <<= 1;
    flagsLeft--;
    if (from + 2 > input.length) return ended();
    const match = view.getUint16(from, true);
    from += 2;
    const distance = (match >>> 3) + 1;
    let length = match & LENGTH_MASK;
    if (length === LENGTH_MASK) {
      let half: number | undefined;
      if (halfByteAt < 0) {
        halfByteAt = from;
        half = from < input.length ? (input[from++] as number) & HALF_BYTE_MAX : undefined;
      } else {
        half = (input[halfByteAt] as number) >>> 4;
        halfByteAt = -1;
      }
      if (half === undefined) return ended(LENGTH_PROBLEM);
      length += half;
      if (half === HALF_BYTE_MAX) {
        const more = input[from++];
        if (more === undefined) return ended(LENGTH_PROBLEM);
        length += more;
        if (more === BYTE_MAX) {
          if (from + 2 > input.length) return ended(LENGTH_PROBLEM);
          length = view.getUint16(from, true);
          from += 2;
          if (length === 0) {
            if (from + 4 > input.length) return ended(LENGTH_PROBLEM);
            length = view.getUint32(from, true);
            from += 4;
          }
        }
      }
    }
    if (distance > to - start) {
      return ended(`A match goes ${distance} bytes back, but only ${to - start} have been decompressed.`);
    }
    const end = Math.min(limit, to + length + MIN_MATCH);
    let source = to - distance;
    if (distance >= WORDS_SIZE && end + WORDS_SIZE <= limit) {
      // Bytes written beyond the match are overwritten by what follows.
      for (; to < end; to += WORDS_SIZE, source += WORDS_SIZE) {
        outputView.setInt32(to, outputView.getInt32(source, true), true);
        outputView.setInt32(to + 4, outputView.getInt32(source + 4, true), true);
      }
      to = end;
    } else {
      // Byte by byte, since a match may overlap its own output.
      while (to < end) output[to++] = output[source++] as number;
    }
  }
  return ended();
}
