/** Rows that come together in blocks which do not become too large. */
import { NetTraceBytes } from './byte-writer.ts';

/** As many bytes make a block: about as many as the runtime's own blocks have. */
export const BLOCK_SIZE = 100_000;

/** Rows one after the other, behind a head. */
export class RowBlocks {
  private readonly bytes = new NetTraceBytes();
  private readonly writeHead: (bytes: NetTraceBytes) => void;
  private full: Uint8Array[] = [];

  constructor(writeHead: (bytes: NetTraceBytes) => void) {
    this.writeHead = writeHead;
  }

  add(writeRow: (bytes: NetTraceBytes) => void): void {
    if (this.bytes.length === 0) this.writeHead(this.bytes);
    writeRow(this.bytes);
    if (this.bytes.length >= BLOCK_SIZE) this.full.push(this.bytes.take());
  }

  /** The blocks of all rows since the last call. */
  take(): readonly Uint8Array[] {
    const blocks = this.full;
    this.full = [];
    if (this.bytes.length > 0) blocks.push(this.bytes.take());
    return blocks;
  }
}

const COUNT_AT = 4;

/** Rows that others refer to by number, from 1 on, each once: blocks of their first number, their count, the rows. */
export class NumberedRows {
  private readonly bytes = new NetTraceBytes();
  private readonly numbers = new Map<string, number>();
  private count = 0;
  private full: Uint8Array[] = [];
  private fullSize = 0;

  get pendingBytes(): number {
    return this.fullSize + this.bytes.length;
  }

  /** @param key tells the rows apart */
  numberOf(key: string, writeRow: (bytes: NetTraceBytes) => void): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.numbers.size + 1;
    this.numbers.set(key, number);
    if (this.count === 0) {
      this.bytes.uint32(number);
      this.bytes.uint32(0);
    }
    writeRow(this.bytes);
    this.count++;
    this.bytes.setUint32(COUNT_AT, this.count);
    if (this.bytes.length >= BLOCK_SIZE) this.close();
    return number;
  }

  /** The blocks of all rows since the last call. */
  take(): readonly Uint8Array[] {
    if (this.count > 0) this.close();
    const blocks = this.full;
    this.full = [];
    this.fullSize = 0;
    return blocks;
  }

  /** Numbers start anew, with what comes next. */
  forget(): void {
    this.numbers.clear();
  }

  private close(): void {
    this.fullSize += this.bytes.length;
    this.full.push(this.bytes.take());
    this.count = 0;
  }
}
