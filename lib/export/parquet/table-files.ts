/**
 * The files of one table in a folder of Parquet, a folder for each date and service. A file gets its name when it is
 * complete: until then it is in a folder of files being written, which readers skip because of its dot.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  lstatSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolders } from '../../base/folders.ts';
import { createFile, OutputError, openOwnFile } from '../../base/output-file.ts';
import { keep, removeNow } from '../../base/temporaries.ts';
import type { Column } from '../../wire/parquet/column.ts';
import { ParquetWriter } from '../../wire/parquet/parquet-writer.ts';
import type { RowSource, Table } from './tables.ts';

const synced = promisify(fdatasync);
const PAGE_ROWS = 8192;
/** Characters of text. */
const PAGE_TEXT = 4e6;
const GROUP_ROWS = 100_000;
/** Bytes, of all partitions: groups of rows are in memory until they end. */
const MAX_HELD = 48e6;
/** Rows in the pages of all partitions. */
const MAX_PAGE_ROWS = 8 * PAGE_ROWS;
/** Files of a table being written; the one begun first is completed to begin another. */
const MAX_OPEN = 1000;
const DAY_MS = 86_400_000;
/** Files that are being written are in this folder. */
export const PARTIAL_FOLDER = '.partial';
/** A table and a UUID. */
const PARTIAL_NAME = /^[a-z]+-[\da-f-]{36}$/;

export interface TableFolder {
  /** The folder of all tables. */
  readonly folder: string;
  /** The names of files that are begun start with this: no other trace in the folder may have it. */
  stem: string;
  readonly source: RowSource;
  /** The program and its version, as `tracewright version 1.0.0`. */
  readonly createdBy: string;
  /** The approximate size of a file in bytes. */
  readonly maxFileSize: number;
  /** The name of a service's folder, when a file of it is complete. */
  readonly serviceFolder: (service: string) => string;
  /** Called with the path of each file that is complete. */
  readonly onFile: (path: string) => void;
}

interface OpenFile<T> {
  readonly table: T;
  readonly columns: readonly Column[];
  readonly writer: ParquetWriter;
  /** What is not in the file yet. */
  readonly pieces: Uint8Array[];
  readonly part: string;
  readonly day: number;
  readonly service: string;
  readonly name: string;
  pageRows: number;
  pageText: number;
  groupRows: number;
  /** Compressed bytes of the group. */
  held: number;
}

export class TableFiles<T extends Table> {
  readonly #name: string;
  readonly #make: () => T;
  readonly #folder: TableFolder;
  readonly #open = new Map<string, OpenFile<T>>();
  /** Files being completed. */
  readonly #ending = new Set<Promise<void>>();
  #last: OpenFile<T> | undefined;
  #lastDay = Number.NaN;
  #lastService = '';
  #stem = '';
  /** Files with this stem. */
  #count = 0;
  #held = 0;
  #pageRows = 0;
  /** Counts the rows of completed files. */
  rows = 0;
  problem: unknown;

  constructor(name: string, make: () => T, folder: TableFolder) {
    this.#name = name;
    this.#make = make;
    this.#folder = folder;
  }

  /**
   * The table for the next row, which must get a value in each column beside those of its source.
   *
   * @param day since 1970
   * @param service see `TableFolder.serviceFolder`
   * @param textLength of the row's longest texts
   * @throws the system's error
   */
  row(day: number, service: string, textLength: number): T {
    let file = this.#last;
    if (file === undefined || day !== this.#lastDay || service !== this.#lastService) {
      file = this.#fileOf(day, service);
    }
    if (file.pageRows >= PAGE_ROWS || file.pageText + textLength > PAGE_TEXT) {
      this.#endPage(file);
      file = this.#last ?? this.#fileOf(day, service);
    } else if (this.#pageRows >= MAX_PAGE_ROWS) {
      this.#endLargestPages();
    }
    this.#pageRows++;
    file.pageRows++;
    file.pageText += textLength;
    file.table.putSource(this.#folder.source);
    return file.table;
  }

  /** Completes all files; more rows begin new ones. */
  async end(): Promise<void> {
    for (const [key, file] of this.#open) this.#complete(key, file);
    while (this.#ending.size > 0) await Promise.all(this.#ending);
    if (this.problem !== undefined) throw this.problem;
  }

  /** If the folder has no such table yet, an empty file says which columns it has. */
  async ensureTable(day: number, service: string): Promise<void> {
    if (this.#count > 0 || existsSync(join(this.#folder.folder, this.#name))) return;
    this.#fileOf(day, service);
    await this.end();
  }

  /** Deletes what is not complete. */
  async abandon(): Promise<void> {
    for (const { part } of this.#open.values()) removeNow(part, unlinkSync);
    this.#open.clear();
    await Promise.all(this.#ending);
  }

  #fileOf(day: number, service: string): OpenFile<T> {
    const key = `${day} ${service}`;
    let file = this.#open.get(key);
    if (file === undefined) {
      if (this.#open.size >= MAX_OPEN) this.#completeOldest();
      file = this.#create(day, service);
      this.#open.set(key, file);
    }
    this.#last = file;
    this.#lastDay = day;
    this.#lastService = service;
    return file;
  }

  #create(day: number, service: string): OpenFile<T> {
    const { folder, stem, createdBy } = this.#folder;
    if (stem !== this.#stem) this.#count = 0;
    this.#stem = stem;
    const name = `${stem}-${this.#count++}.parquet`;
    const part = join(folder, PARTIAL_FOLDER, `${this.#name}-${randomUUID()}`);
    try {
      makeFolders(dirname(part));
      if (!lstatSync(dirname(part)).isDirectory()) throw new Error(`${dirname(part)} is a link.`);
      closeSync(createFile(part));
    } catch (error) {
      throw new OutputError(folder, error);
    }
    const table = this.#make();
    const { columns } = table;
    const pieces: Uint8Array[] = [];
    const writer = new ParquetWriter(columns, { createdBy, write: (bytes) => pieces.push(bytes) });
    const counts = { pageRows: 0, pageText: 0, groupRows: 0, held: 0 };
    return { table, columns, writer, pieces, part, day, service, name, ...counts };
  }

  #endPage(file: OpenFile<T>): void {
    let held = 0;
    for (const column of file.columns) {
      column.endPage();
      held += column.size;
    }
    this.#held += held - file.held;
    file.held = held;
    file.groupRows += file.pageRows;
    this.#pageRows -= file.pageRows;
    file.pageRows = file.pageText = 0;
    if (file.groupRows + PAGE_ROWS > GROUP_ROWS) this.#endGroup(file);
    while (this.#held > MAX_HELD) this.#endGroup(this.#largest());
    if (file.writer.size + file.held <= this.#folder.maxFileSize) return;
    for (const [key, each] of this.#open) if (each === file) this.#complete(key, file);
  }

  /** Ends the pages of at least half of the rows: each of many partitions has few. */
  #endLargestPages(): void {
    const files = [...this.#open.values()].sort((a, b) => b.pageRows - a.pageRows);
    for (const file of files) {
      if (this.#pageRows <= MAX_PAGE_ROWS / 2) return;
      if (file !== this.#last) this.#endPage(file);
    }
  }

  #largest(): OpenFile<T> {
    return [...this.#open.values()].reduce((largest, file) => (file.held > largest.held ? file : largest));
  }

  /** Ends the page and the group. */
  #endGroup(file: OpenFile<T>): void {
    const rows = file.groupRows + file.pageRows;
    if (rows > 0) file.writer.endGroup(rows);
    append(file);
    this.#pageRows -= file.pageRows;
    this.#held -= file.held;
    file.held = file.groupRows = file.pageRows = file.pageText = 0;
  }

  #completeOldest(): void {
    for (const [key, file] of this.#open) {
      this.#complete(key, file);
      return;
    }
  }

  #complete(key: string, file: OpenFile<T>): void {
    this.#endGroup(file);
    file.writer.end();
    append(file);
    this.#open.delete(key);
    if (this.#last === file) this.#last = undefined;
    this.rows += file.writer.rows;
    const ending = this.#nameFile(file).catch((error) => {
      this.problem ??= error;
    });
    this.#ending.add(ending);
    ending.then(() => this.#ending.delete(ending));
  }

  async #nameFile({ part, day, service, name }: OpenFile<T>): Promise<void> {
    const { folder, serviceFolder } = this.#folder;
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    const path = join(folder, this.#name, `date=${date}`, `service=${serviceFolder(service)}`, name);
    try {
      const descriptor = openOwnFile(part);
      await synced(descriptor).finally(() => closeSync(descriptor));
      makeFolders(dirname(path));
      await rename(part, path);
    } catch (error) {
      removeNow(part, unlinkSync);
      throw new OutputError(path, error);
    }
    keep(part);
    this.#folder.onFile(path);
  }
}

/** The file is not open in between: there may be more files than a process may have open. */
function append({ part, pieces }: OpenFile<unknown>): void {
  const bytes = Buffer.concat(pieces.splice(0));
  if (bytes.length === 0) return;
  try {
    const descriptor = openOwnFile(part);
    try {
      const { size } = fstatSync(descriptor);
      for (let done = 0; done < bytes.length; )
        done += writeSync(descriptor, bytes, done, bytes.length - done, size + done);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new OutputError(dirname(dirname(part)), error);
  }
}

/** Deletes what programs that were killed were writing into the folder a day ago or earlier. */
export function removeLeftovers(folder: string): void {
  const partial = join(folder, PARTIAL_FOLDER);
  // Others may be able to write here: a link to another folder is not followed, and other files stay.
  if (lstatSync(partial, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const latest = Date.now() - DAY_MS;
  for (const name of readdirSync(partial)) {
    if (!PARTIAL_NAME.test(name)) continue;
    const path = join(partial, name);
    const { mtimeMs = latest } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < latest) rmSync(path, { force: true });
  }
}
