/** Rows that come together in blocks which do not become too large. A row is there as a whole, or not at all. */
import { NetTraceBytes } from './byte-writer.ts';

/** As many bytes make a block: about as many as the runtime's own blocks have. */
export const BLOCK_SIZE = 100_000;

const NOTHING: readonly Uint8Array[] = [];

/** Rows one after the other, behind a head. */
export class RowBlocks {
  private readonly bytes = new NetTraceBytes();
  private readonly writeHead: (bytes: NetTraceBytes) => void;
  private full = NOTHING;

  constructor(writeHead: (bytes: NetTraceBytes) => void) {
    this.writeHead = writeHead;
  }

  /** The row is there when this returns, and not where this throws. */
  add(writeRow: (bytes: NetTraceBytes) => void): void {
    const { bytes } = this;
    if (bytes.kept >= BLOCK_SIZE) this.close();
    // A row may have been given up amid.
    bytes.length = bytes.kept;
    if (bytes.length === 0) this.writeHead(bytes);
    writeRow(bytes);
    bytes.kept = bytes.length;
  }

  /** The blocks of all rows, which are there until the next one is added. */
  blocks(): readonly Uint8Array[] {
    return this.bytes.kept === 0 ? this.full : [...this.full, this.bytes.whole()];
  }

  private close(): void {
    const full = [...this.full, this.bytes.wholeCopy()];
    this.full = full;
    this.bytes.length = 0;
    this.bytes.kept = 0;
  }
}

/** The numbers of rows that others refer to, from 1 on. */
export type RowNumbers = Map<string, number>;

const COUNT_AT = 4;

/** Rows that others refer to by number, each once: blocks of their first number, their count, the rows. */
export class NumberedRows {
  private readonly bytes = new NetTraceBytes();
  private readonly numbers: RowNumbers;
  private count = 0;
  private full = NOTHING;
  private fullSize = 0;

  /** @param numbers those of the rows that are in the trace already; the new ones are added */
  constructor(numbers: RowNumbers) {
    this.numbers = numbers;
  }

  get pendingBytes(): number {
    return this.fullSize + this.bytes.kept;
  }

  /** @param key tells the rows apart */
  numberOf(key: string, writeRow: (bytes: NetTraceBytes) => void): number {
    const { bytes, numbers } = this;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (bytes.kept >= BLOCK_SIZE) this.close();
    // A row may have been given up amid.
    bytes.length = bytes.kept;
    const number = numbers.size + 1;
    if (bytes.length === 0) {
      bytes.uint32(number);
      bytes.uint32(0);
    }
    writeRow(bytes);
    numbers.set(key, number);
    // No calls from here on: who has a number has its row.
    this.count++;
    bytes.kept = bytes.length;
    return number;
  }

  /** The blocks of all new rows, which are there until the next one is added. */
  blocks(): readonly Uint8Array[] {
    if (this.count === 0) return this.full;
    this.bytes.setUint32(COUNT_AT, this.count);
    return [...this.full, this.bytes.whole()];
  }

  private close(): void {
    this.bytes.setUint32(COUNT_AT, this.count);
    const full = [...this.full, this.bytes.wholeCopy()];
    this.full = full;
    this.fullSize += this.bytes.kept;
    this.bytes.length = 0;
    this.bytes.kept = 0;
    this.count = 0;
  }
}
