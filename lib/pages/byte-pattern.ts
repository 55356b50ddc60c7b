/** Searches consecutive UTF-8 texts for a string without decoding them. */
import type { Texts } from './event-table.ts';

export class BytePattern {
  /** The bytes are in lower case. */
  readonly #bytes: Uint8Array;

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text).map(lowerCase);
  }

  /** Sets `found` to 1 for each text between `from` and `to` that contains the pattern. */
  mark({ starts, bytes }: Texts, from: number, to: number, found: Uint8Array): void {
    const pattern = this.#bytes;
    const first = pattern[0];
    if (first === undefined) return;
    const last = (starts[to] as number) - pattern.length;
    let text = from;
    for (let at = starts[from] as number; at <= last; at++) {
      if (lowerCase(bytes[at] as number) !== first || !this.#isAt(bytes, at)) continue;
      while ((starts[text + 1] as number) <= at) text++;
      // A match must not extend into the next text.
      const end = starts[text + 1] as number;
      if (at + pattern.length > end) continue;
      found[text] = 1;
      at = end - 1;
    }
  }

  #isAt(bytes: Uint8Array, start: number): boolean {
    const pattern = this.#bytes;
    for (let i = 1; i < pattern.length; i++) {
      if (lowerCase(bytes[start + i] as number) !== pattern[i]) return false;
    }
    return true;
  }
}

function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
