/** Rows collected into blocks of moderate size. A row is added as a whole, or not at all. */
import { NetTraceBytes } from './byte-writer.ts';

/** The size of a block: about that of the runtime's own blocks. */
export const BLOCK_SIZE = 100_000;

const NOTHING: readonly Uint8Array[] = [];

/** Consecutive rows after a header. */
export class RowBlocks {
  readonly #bytes = new NetTraceBytes();
  readonly #writeHead: (bytes: NetTraceBytes) => void;
  #full = NOTHING;

  constructor(writeHead: (bytes: NetTraceBytes) => void) {
    this.#writeHead = writeHead;
  }

  get isEmpty(): boolean {
    return this.#bytes.kept === 0 && this.#full.length === 0;
  }

  /** The row has been added if this returns, and not if this throws. */
  add(writeRow: (bytes: NetTraceBytes) => void): void {
    const bytes = this.#bytes;
    if (bytes.kept >= BLOCK_SIZE) this.#close();
    // A row may have been abandoned halfway.
    bytes.length = bytes.kept;
    if (bytes.length === 0) this.#writeHead(bytes);
    writeRow(bytes);
    bytes.kept = bytes.length;
  }

  /** The blocks of all rows. */
  blocks(): readonly Uint8Array[] {
    return this.#bytes.kept === 0 ? this.#full : [...this.#full, this.#bytes.wholeCopy()];
  }

  #close(): void {
    const full = [...this.#full, this.#bytes.wholeCopy()];
    this.#full = full;
    this.#bytes.length = 0;
    this.#bytes.kept = 0;
  }
}

/** The numbers of rows that others refer to, from 1 on. */
export class RowNumbers {
  last = 0;
  readonly byKey = new Map<string, number>();
}

const COUNT_AT = 4;

/** Rows that others refer to by number: blocks of their first number, their count, the rows. */
export class NumberedRows {
  /** The number of rows in the last block. */
  count = 0;
  readonly #bytes = new NetTraceBytes();
  readonly #numbers: RowNumbers;
  #full = NOTHING;
  #fullSize = 0;

  /** @param numbers the rows already in the trace; new ones are added */
  constructor(numbers: RowNumbers) {
    this.#numbers = numbers;
  }

  get isEmpty(): boolean {
    return this.pendingBytes === 0;
  }

  get pendingBytes(): number {
    return this.#fullSize + this.#bytes.kept;
  }

  /**
   * Where to write the next row. It is complete once its number, `count` and the kept bytes have been assigned, without
   * calls in between.
   */
  begin(): NetTraceBytes {
    const bytes = this.#bytes;
    if (bytes.kept >= BLOCK_SIZE) this.#close();
    // A row may have been abandoned halfway.
    bytes.length = bytes.kept;
    if (bytes.length === 0) {
      bytes.uint32(this.#numbers.last + 1);
      bytes.uint32(0);
    }
    return bytes;
  }

  /** The row's number; a new row is written. @param key distinguishes rows */
  numberOf(key: string, writeRow: (bytes: NetTraceBytes) => void): number {
    const numbers = this.#numbers;
    const known = numbers.byKey.get(key);
    if (known !== undefined) return known;
    const bytes = this.begin();
    writeRow(bytes);
    const number = numbers.last + 1;
    numbers.byKey.set(key, number);
    // No calls from here on: every number has its row.
    numbers.last = number;
    this.count++;
    bytes.kept = bytes.length;
    return number;
  }

  /** The blocks of all new rows. */
  blocks(): readonly Uint8Array[] {
    return this.count === 0 ? this.#full : [...this.#full, this.#block()];
  }

  #close(): void {
    const full = [...this.#full, this.#block()];
    this.#full = full;
    this.#fullSize += this.#bytes.kept;
    this.#bytes.length = 0;
    this.#bytes.kept = 0;
    this.count = 0;
  }

  #block(): Uint8Array {
    this.#bytes.setUint32(COUNT_AT, this.count);
    return this.#bytes.wholeCopy();
  }
}
