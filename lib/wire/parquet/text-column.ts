/** Columns of text: each different text once in a dictionary, or, if few are equal, one after the other. */
import { ByteWriter } from '../../base/byte-writer.ts';
import { Column, Encoding, putIndices, type Range, Type } from './column.ts';

/** Of one group of rows. */
const MAX_ENTRIES = 1 << 16;
/** From this number of different texts on, a dictionary must be worth it: each text comes at least twice. */
const TRIED = 2000;
/** Longer limits would only make the file's end larger, where they stand. */
const MAX_LIMIT = 64;

export class TextColumn extends Column {
  readonly type = Type.ByteArray;
  readonly #dictionary = new Map<string, number>();
  readonly #isRanged: boolean;
  #isPlain = false;
  #values = 0;
  #indices = new Uint32Array(64);
  #texts: string[] = [];
  #last: string | undefined;
  #lastIndex = 0;
  #min: string | undefined;
  #max = '';
  #isAscii = true;

  /** @param isRanged whether readers shall skip groups by its smallest and largest text */
  constructor(name: string, { isList = false, isRanged = true } = {}) {
    super(name, 'text', isList);
    this.#isRanged = isRanged;
  }

  add(text: string | undefined): void {
    if (text === undefined) this.addNull();
    else this.#addText(text, 0);
  }

  /** For a list. */
  addAll(texts: readonly string[] | undefined): void {
    if (texts === undefined) this.addNull();
    else if (texts.length === 0) this.addEmpty();
    else for (let i = 0; i < texts.length; i++) this.#addText(texts[i] as string, i === 0 ? 0 : 1);
  }

  #addText(text: string, continues: number): void {
    this.#values++;
    if (this.#isPlain) this.#texts.push(text);
    else this.#addIndex(text === this.#last ? this.#lastIndex : this.#indexOf(text));
    this.enterValue(continues);
  }

  #addIndex(index: number): void {
    if (this.present === this.#indices.length) {
      const larger = new Uint32Array(2 * this.present);
      larger.set(this.#indices);
      this.#indices = larger;
    }
    this.#indices[this.present] = index;
  }

  #indexOf(text: string): number {
    let index = this.#dictionary.get(text);
    if (index === undefined) {
      index = this.#dictionary.size;
      this.#dictionary.set(text, index);
    }
    this.#last = text;
    this.#lastIndex = index;
    return index;
  }

  protected putValues(out: ByteWriter): number {
    if (this.#isPlain) {
      const texts = this.#texts;
      this.#texts = [];
      this.#putTexts(out, texts);
      return Encoding.Plain;
    }
    if (this.present === 0) return Encoding.Plain;
    const entries = this.#dictionary.size;
    putIndices(out, this.#indices, this.present, entries);
    this.#isPlain = entries >= MAX_ENTRIES || (entries > TRIED && 2 * entries > this.#values);
    return Encoding.Dictionary;
  }

  protected override takeDictionary() {
    const entries = this.#dictionary.size;
    this.#isPlain = false;
    this.#values = 0;
    this.#last = undefined;
    if (entries === 0) return undefined;
    const out = new ByteWriter();
    this.#putTexts(out, [...this.#dictionary.keys()]);
    this.#dictionary.clear();
    return { bytes: out.current(), entries };
  }

  protected takeRange(): Range | undefined {
    const [min, max, isAscii] = [this.#min, this.#max, this.#isAscii];
    this.#min = undefined;
    this.#isAscii = true;
    // Other characters have another order in UTF-8 than in JavaScript.
    if (!isAscii || min === undefined || min.length > MAX_LIMIT || max.length > MAX_LIMIT) return undefined;
    return { min: Buffer.from(min), max: Buffer.from(max) };
  }

  #putTexts(out: ByteWriter, texts: readonly string[]): void {
    if (this.#isRanged) this.#extend(texts);
    const all = Buffer.from(texts.join(''));
    out.reserve(all.length + 4 * texts.length);
    const { buffer, view } = out;
    let at = out.length;
    let start = 0;
    let characters = 0;
    for (const text of texts) characters += text.length;
    const isAscii = characters === all.length;
    this.#isAscii &&= isAscii;
    for (const text of texts) {
      const size = isAscii ? text.length : Buffer.byteLength(text);
      view.setUint32(at, size, true);
      at += 4;
      if (size > 48) all.copy(buffer, at, start, start + size);
      else for (let i = 0; i < size; i++) buffer[at + i] = all[start + i] as number;
      at += size;
      start += size;
    }
    out.length = at;
  }

  #extend(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.#min === undefined || text < this.#min) this.#min = text;
      if (text > this.#max) this.#max = text;
    }
  }
}
