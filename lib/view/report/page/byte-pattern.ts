/** Looks for a text in texts that lie one behind the other as UTF-8, without decoding them. */
import type { Texts } from './event-table.ts';

export class BytePattern {
  /** In lower case. */
  readonly #bytes: Uint8Array;

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text).map(lowerCase);
  }

  /** Sets those of `found` to 1, from `from` to `to`, whose texts have the pattern in them. */
  mark({ starts, bytes }: Texts, from: number, to: number, found: Uint8Array): void {
    const pattern = this.#bytes;
    const first = pattern[0];
    if (first === undefined) return;
    const last = (starts[to] as number) - pattern.length;
    let text = from;
    for (let at = starts[from] as number; at <= last; at++) {
      if (lowerCase(bytes[at] as number) !== first || !this.#isAt(bytes, at)) continue;
      while ((starts[text + 1] as number) <= at) text++;
      // Not one that goes on in the next text.
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
