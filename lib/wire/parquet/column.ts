/**
 * A column of a Parquet file: takes the values of a group of rows and makes pages of them.
 *
 * Every column is optional. A page ends with the same row in all columns, and keeps only its compressed bytes.
 */
import { ByteWriter } from '../../base/byte-writer.ts';
import { enlarged } from '../../base/enlarged.ts';
import { bitWidth, putHybrid } from './encodings.ts';
import { snappy } from './snappy.ts';
import { ThriftWriter } from './thrift.ts';

export const Type = { Int64: 2, ByteArray: 6 } as const;
export const Encoding = { Plain: 0, Rle: 3, Deltas: 5, Dictionary: 8 } as const;

/** The numbers of fields in parquet.thrift; a data page and a dictionary page have the first two in common. */
const PageHeader = { type: 1, uncompressedSize: 2, compressedSize: 3, data: 5, dictionary: 7 } as const;
const PageOf = { values: 1, encoding: 2, definitionLevels: 3, repetitionLevels: 4 } as const;
const PAGE_DATA = 0;
const PAGE_DICTIONARY = 2;

/** What a reader makes of the stored type. */
export type LogicalType = 'timestamp' | 'unsigned' | 'text' | 'none';

export interface ColumnType {
  readonly name: string;
  readonly type: number;
  readonly logical: LogicalType;
  /** Whether each row has any number of values. */
  readonly isList: boolean;
}

/** The smallest and the largest value, encoded as in a page without their lengths. */
export interface Range {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
}

/** A column's part of a group of rows. */
export interface ColumnChunk {
  readonly pages: readonly Uint8Array[];
  readonly encodings: readonly number[];
  /** The count includes nulls and empty lists. */
  readonly values: number;
  readonly nulls: number;
  readonly size: number;
  readonly uncompressedSize: number;
  /** The size of the dictionary's page, which comes first; 0 without one. */
  readonly dictionarySize: number;
  readonly range: Range | undefined;
}

/** Levels of a list: absent, empty, and with a value. */
const LIST_LEVELS = { empty: 1, value: 3 } as const;

export abstract class Column implements ColumnType {
  readonly name: string;
  abstract readonly type: number;
  readonly logical: LogicalType;
  readonly isList: boolean;
  /** Present values in the page. */
  protected present = 0;
  readonly #encodings = new Set<number>();
  /** The level of all entries of the page; if it is mixed, each entry has its own. */
  #level = 0;
  #isMixed = false;
  #levels = new Uint8Array(64);
  /** 1 for a value that continues its row's list. */
  #continues = new Uint8Array(64);
  /** Entries in the page, and in the group. */
  #entries = 0;
  #values = 0;
  #nulls = 0;
  #pages: Uint8Array[] = [];
  #size = 0;
  #uncompressedSize = 0;

  constructor(name: string, logical: LogicalType, isList = false) {
    this.name = name;
    this.logical = logical;
    this.isList = isList;
  }

  /** Compressed bytes of the group so far. */
  get size(): number {
    return this.#size;
  }

  addNull(): void {
    this.#enter(0, 0);
    this.#nulls++;
  }

  addEmpty(): void {
    this.#enter(LIST_LEVELS.empty, 0);
    this.#nulls++;
  }

  /** Counts a value that a subclass keeps. */
  protected enterValue(continues = 0): void {
    this.present++;
    this.#enter(this.isList ? LIST_LEVELS.value : 1, continues);
  }

  #enter(level: number, continues: number): void {
    const at = this.#entries++;
    if (at === 0) this.#level = level;
    if (level !== this.#level && !this.#isMixed) {
      // Most columns have one level in all rows.
      if (at > this.#levels.length) this.#levels = enlarged(this.#levels, at);
      this.#levels.fill(this.#level, 0, at);
      this.#isMixed = true;
    }
    if (this.#isMixed) {
      if (at === this.#levels.length) this.#levels = enlarged(this.#levels, at + 1);
      this.#levels[at] = level;
    }
    if (!this.isList) return;
    if (at === this.#continues.length) this.#continues = enlarged(this.#continues, at + 1);
    this.#continues[at] = continues;
  }

  /** Ends the page. */
  endPage(): void {
    if (this.#entries === 0) return;
    const out = new ByteWriter();
    if (this.isList) putLevels(out, this.#continues, this.#entries, 1);
    if (this.#isMixed) putLevels(out, this.#levels, this.#entries, this.isList ? 2 : 1);
    else
      out
        .uint32(varUintSize(2 * this.#entries) + 1)
        .varUint(2 * this.#entries)
        .uint8(this.#level);
    const encoding = this.putValues(out);
    this.#encodings.add(encoding);
    this.#addPage(out.current(), this.#entries, encoding);
    this.#values += this.#entries;
    this.#entries = 0;
    this.#isMixed = false;
    this.present = 0;
  }

  /** Ends the group. */
  takeChunk(): ColumnChunk {
    this.endPage();
    const data = this.#pages;
    this.#pages = [];
    const size = this.#size;
    const dictionary = this.takeDictionary();
    if (dictionary !== undefined) this.#addPage(dictionary.bytes, dictionary.entries);
    const chunk = {
      pages: [...this.#pages, ...data],
      encodings: [...this.#encodings, Encoding.Rle],
      values: this.#values,
      nulls: this.#nulls,
      size: this.#size,
      uncompressedSize: this.#uncompressedSize,
      dictionarySize: this.#size - size,
      range: this.takeRange(),
    };
    this.#encodings.clear();
    this.#values = this.#nulls = this.#size = this.#uncompressedSize = 0;
    this.#pages = [];
    return chunk;
  }

  /** Writes the page's values and forgets them. */
  protected abstract putValues(out: ByteWriter): number;

  /** Returns the range of the group. */
  protected abstract takeRange(): Range | undefined;

  protected takeDictionary(): { readonly bytes: Uint8Array; readonly entries: number } | undefined {
    return undefined;
  }

  /** @param encoding of data; a dictionary is plain */
  #addPage(body: Uint8Array, entries: number, encoding?: number): void {
    const compressed = snappy(body);
    const thrift = new ThriftWriter();
    const { type, uncompressedSize, compressedSize, data, dictionary } = PageHeader;
    thrift.int(type, encoding === undefined ? PAGE_DICTIONARY : PAGE_DATA);
    thrift.int(uncompressedSize, body.length).int(compressedSize, compressed.length);
    thrift.struct(encoding === undefined ? dictionary : data, () => {
      thrift.int(PageOf.values, entries).int(PageOf.encoding, encoding ?? Encoding.Plain);
      if (encoding === undefined) return;
      thrift.int(PageOf.definitionLevels, Encoding.Rle).int(PageOf.repetitionLevels, Encoding.Rle);
    });
    const head = thrift.end();
    const page = new Uint8Array(head.length + compressed.length);
    page.set(head);
    page.set(compressed, head.length);
    this.#pages.push(page);
    this.#size += page.length;
    this.#uncompressedSize += head.length + body.length;
  }
}

function putLevels(out: ByteWriter, levels: Uint8Array, count: number, width: number): void {
  const at = out.length;
  out.uint32(0);
  putHybrid(out, levels, count, width);
  out.view.setUint32(at, out.length - at - 4, true);
}

/** The width, and the indices of a dictionary's values. */
export function putIndices(out: ByteWriter, indices: Uint32Array, count: number, entries: number): void {
  const width = Math.max(1, bitWidth(entries - 1));
  out.uint8(width);
  putHybrid(out, indices, count, width);
}

function varUintSize(value: number): number {
  return Math.ceil(bitWidth(value) / 7);
}
