/** Columns of text: each different text once in a dictionary, or, if few are equal, one after the other. */
import { ByteWriter } from '../../base/byte-writer.ts';
import { enlarged } from '../../base/enlarged.ts';
import { Column, Encoding, putIndices, type Range, Type } from './column.ts';

/** A dictionary with more texts than this, or with one for every few values, is not worth its time. */
const MAX_ENTRIES = 1 << 16;
const MIN_ENTRIES = 256;
const MIN_USES = 8;
/** Limits the characters of a dictionary. */
const MAX_CHARACTERS = 4e6;
/** Texts found without a look-up: a power of 2. */
const RECENT = 16;
/** Longer ones would only make the end of the file larger. */
const MAX_LIMIT = 64;

interface TextOptions {
  /** Whether each row has any number of texts. */
  readonly isList?: boolean;
  /** Whether readers shall skip groups by the smallest and the largest text. */
  readonly isRanged?: boolean;
}

export class TextColumn extends Column {
  readonly type = Type.ByteArray;
  #dictionary = new Map<string, number>();
  readonly #isRanged: boolean;
  /** Once it is plain, it stays so in all of the file. */
  #isPlain = false;
  /** Values and characters that the dictionary stands for. */
  #values = 0;
  #characters = 0;
  #indices = new Uint32Array(64);
  readonly #texts = new Texts();
  #last: string | undefined;
  #lastIndex = 0;
  readonly #recent: (string | undefined)[] = new Array(RECENT).fill(undefined);
  readonly #recentIndices: number[] = new Array(RECENT).fill(0);
  #min: string | undefined;
  #max = '';
  #isAscii = true;

  constructor(name: string, { isList = false, isRanged = true }: TextOptions = {}) {
    super(name, 'text', isList);
    this.#isRanged = isRanged;
  }

  add(text: string | undefined): void {
    if (text === undefined) this.addNull();
    else this.#addText(text, 0);
  }

  /** Adds the entries of a list. */
  addAll(texts: readonly string[] | undefined): void {
    if (texts === undefined) this.addNull();
    else if (texts.length === 0) this.addEmpty();
    else for (let i = 0; i < texts.length; i++) this.#addText(texts[i] as string, i === 0 ? 0 : 1);
  }

  /** Adds a list: the starts of a text that end there. */
  addStarts(text: string, ends: readonly number[]): void {
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i] as number;
      if (this.#isPlain && !this.#isRanged) {
        this.#texts.add(text, end);
        this.enterValue(i === 0 ? 0 : 1);
      } else {
        this.#addText(text.slice(0, end), i === 0 ? 0 : 1);
      }
    }
  }

  #addText(text: string, continues: number): void {
    if (this.#isPlain) {
      this.#texts.add(text);
      if (this.#isRanged) this.#extend(text);
    } else {
      this.#addIndex(this.#indexOf(text));
    }
    this.enterValue(continues);
  }

  #addIndex(index: number): void {
    const { present } = this;
    if (present === this.#indices.length) this.#indices = enlarged(this.#indices, present + 1);
    this.#indices[present] = index;
  }

  #indexOf(text: string): number {
    if (text === this.#last) return this.#lastIndex;
    const slot = (text.length + text.charCodeAt(0) + 3 * text.charCodeAt(text.length >> 1)) & (RECENT - 1);
    let index = this.#recent[slot] === text ? this.#recentIndices[slot] : this.#dictionary.get(text);
    if (index === undefined) {
      index = this.#dictionary.size;
      this.#dictionary.set(text, index);
      this.#characters += text.length;
      if (this.#isRanged) this.#extend(text);
    }
    this.#recent[slot] = this.#last = text;
    this.#recentIndices[slot] = this.#lastIndex = index;
    return index;
  }

  protected putValues(out: ByteWriter): number {
    if (this.#isPlain) {
      if (!this.#texts.put(out)) this.#isAscii = false;
      return Encoding.Plain;
    }
    if (this.present === 0) return Encoding.Plain;
    const entries = this.#dictionary.size;
    putIndices(out, this.#indices, this.present, entries);
    this.#values += this.present;
    this.#isPlain =
      entries >= MAX_ENTRIES ||
      this.#characters >= MAX_CHARACTERS ||
      (entries > MIN_ENTRIES && MIN_USES * entries > this.#values);
    return Encoding.Dictionary;
  }

  protected override takeDictionary() {
    const entries = this.#dictionary.size;
    if (entries === 0) return undefined;
    const out = new ByteWriter();
    const texts = new Texts();
    for (const text of this.#dictionary.keys()) texts.add(text);
    if (!texts.put(out)) this.#isAscii = false;
    this.#dictionary = new Map();
    this.#values = this.#characters = 0;
    this.#last = undefined;
    this.#recent.fill(undefined);
    return { bytes: out.current(), entries };
  }

  protected takeRange(): Range | undefined {
    const [min, max, isAscii] = [this.#min, this.#max, this.#isAscii];
    this.#min = undefined;
    this.#max = '';
    this.#isAscii = true;
    // Other characters have another order in UTF-8 than in JavaScript.
    if (!isAscii || min === undefined || min.length > MAX_LIMIT || max.length > MAX_LIMIT) return undefined;
    return { min: Buffer.from(min), max: Buffer.from(max) };
  }

  #extend(text: string): void {
    if (this.#min === undefined || text < this.#min) this.#min = text;
    if (text > this.#max) this.#max = text;
  }
}

/** Up to this many characters, a loop is faster than a call into Node.js. */
const SHORT = 200;
const ASCII = 0x80;
const SIZE_BYTES = 4;
/** A UTF-16 code unit takes at most this many bytes. */
const MAX_UTF8 = 3;

/** The texts of a page, each after its size in bytes; kept as bytes, since kept strings would burden the collector. */
class Texts {
  readonly #out = new ByteWriter();
  #isAscii = true;

  /** @param length of the part of the text to add, from its start */
  add(text: string, length: number = text.length): void {
    const out = this.#out;
    out.reserve(SIZE_BYTES + MAX_UTF8 * length);
    const { buffer, length: start } = out;
    const at = start + SIZE_BYTES;
    const isPut = length <= SHORT && putAscii(buffer, at, text, length);
    const size = isPut ? length : buffer.write(text.slice(0, length), at, MAX_UTF8 * length);
    if (size !== length) this.#isAscii = false;
    buffer[start] = size;
    buffer[start + 1] = size >>> 8;
    buffer[start + 2] = size >>> 16;
    buffer[start + 3] = size >>> 24;
    out.length = at + size;
  }

  /**
   * Writes and forgets them.
   *
   * @returns whether all are ASCII
   */
  put(out: ByteWriter): boolean {
    const isAscii = this.#isAscii;
    out.bytes(this.#out.current());
    this.#out.length = 0;
    this.#isAscii = true;
    return isAscii;
  }
}

function putAscii(buffer: Uint8Array, start: number, text: string, length: number): boolean {
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ASCII) return false;
    buffer[start + i] = code;
  }
  return true;
}
