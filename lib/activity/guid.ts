/**
 * A GUID as four 32-bit words, the form in which activity ids are created, compared and written.
 *
 * Every started activity needs an id, so a Guid costs one small object; its text is created only on demand.
 */
import { hexDigit } from '../base/bytes.ts';

const GUID_LENGTH = 36;
const GUID_BYTES = 16;

/**
 * An immutable GUID.
 *
 * `w0` to `w3` are its 16 bytes in struct order (the memory order on Windows, in ETW and in nettrace), read as
 * little-endian 32-bit words. They are signed integers, which V8 stores without a heap object. In the text form, the
 * first three groups are little-endian numbers and the rest are bytes in order.
 */
export class Guid {
  static readonly empty: Guid = new Guid(0, 0, 0, 0);

  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
  #text: string | undefined;

  constructor(w0: number, w1: number, w2: number, w3: number) {
    this.w0 = w0 | 0;
    this.w1 = w1 | 0;
    this.w2 = w2 | 0;
    this.w3 = w3 | 0;
    this.#text = undefined;
  }

  /** Parses a GUID in upper or lower case. Throws RangeError if `text` is not a GUID. */
  static parse(text: string): Guid {
    const guid = Guid.tryParse(text);
    if (guid !== undefined) return guid;
    throw new RangeError(`"${text}" is not a GUID: expected 32 hexadecimal digits grouped 8-4-4-4-12.`);
  }

  /** Parses a GUID in upper or lower case; undefined if `text` is not a GUID. */
  static tryParse(text: string): Guid | undefined {
    if (text.length !== GUID_LENGTH) return undefined;
    if (text[8] !== '-' || text[13] !== '-' || text[18] !== '-' || text[23] !== '-') return undefined;
    const w0 = hexNumber(text, 0, 8);
    const w1Low = hexNumber(text, 9, 13);
    const w1High = hexNumber(text, 14, 18);
    const w2High = hexNumber(text, 19, 23);
    const w2Low = hexNumber(text, 24, 28);
    const w3 = hexNumber(text, 28, 36);
    if (Number.isNaN(w0 + w1Low + w1High + w2High + w2Low + w3)) return undefined;
    return new Guid(w0, (w1High << 16) | w1Low, reverseBytes((w2High << 16) | w2Low), reverseBytes(w3));
  }

  /** Reads 16 bytes at `offset` in struct order. Throws RangeError if there are fewer. */
  static fromBytes(bytes: Uint8Array, offset = 0): Guid {
    const view = viewOf(bytes, offset);
    return new Guid(
      view.getInt32(0, true),
      view.getInt32(4, true),
      view.getInt32(8, true),
      view.getInt32(12, true),
    );
  }

  get isEmpty(): boolean {
    return (this.w0 | this.w1 | this.w2 | this.w3) === 0;
  }

  equals(other: Guid): boolean {
    return this.w0 === other.w0 && this.w1 === other.w1 && this.w2 === other.w2 && this.w3 === other.w3;
  }

  /** The 16 bytes in struct order. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(GUID_BYTES);
    const view = viewOf(bytes, 0);
    view.setInt32(0, this.w0, true);
    view.setInt32(4, this.w1, true);
    view.setInt32(8, this.w2, true);
    view.setInt32(12, this.w3, true);
    return bytes;
  }

  /** Returns lower-case text without braces: `00000011-0000-0000-0000-0000be999d59`. */
  toString(): string {
    if (this.#text === undefined) {
      const { w0, w1, w2, w3 } = this;
      const end = hex(w2, 16) + hex(w2, 24) + hex(w3, 0) + hex(w3, 8) + hex(w3, 16) + hex(w3, 24);
      this.#text =
        `${hex(w0, 24) + hex(w0, 16) + hex(w0, 8) + hex(w0, 0)}-${hex(w1, 8) + hex(w1, 0)}-` +
        `${hex(w1, 24) + hex(w1, 16)}-${hex(w2, 0) + hex(w2, 8)}-${end}`;
    }
    return this.#text;
  }
}

function viewOf(bytes: Uint8Array, offset: number): DataView {
  if (offset < 0 || bytes.length - offset < GUID_BYTES) {
    throw new RangeError(
      `A GUID takes ${GUID_BYTES} bytes, but there are fewer at offset ${offset} of ${bytes.length} bytes.`,
    );
  }
  return new DataView(bytes.buffer, bytes.byteOffset + offset, GUID_BYTES);
}

/** NaN if these characters are not all hex digits. */
function hexNumber(text: string, start: number, end: number): number {
  let number = 0;
  for (let i = start; i < end; i++) {
    const digit = hexDigit(text.charCodeAt(i));
    if (digit < 0) return Number.NaN;
    number = number * 16 + digit;
  }
  return number;
}

/** `toString(16)` is six times slower. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The byte above this many bits. */
function hex(word: number, shift: number): string {
  return HEX[(word >>> shift) & 0xff] as string;
}

function reverseBytes(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
