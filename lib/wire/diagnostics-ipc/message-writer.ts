/** Writes a message's values in sequence, all little-endian. */
import { viewOf } from '../bytes.ts';
import { guidBytes } from '../guid.ts';

const FIRST_SIZE = 512;

export class MessageWriter {
  private memory = new Uint8Array(FIRST_SIZE);
  private view = viewOf(this.memory);
  private length = 0;

  uint8(value: number): void {
    const at = this.advance(1);
    this.view.setUint8(at, value);
  }

  uint16(value: number): void {
    const at = this.advance(2);
    this.view.setUint16(at, value, true);
  }

  uint32(value: number): void {
    const at = this.advance(4);
    this.view.setUint32(at, value, true);
  }

  uint64(value: bigint): void {
    const at = this.advance(8);
    this.view.setBigUint64(at, value, true);
  }

  boolean(value: boolean): void {
    this.uint8(value ? 1 : 0);
  }

  bytes(bytes: Uint8Array): void {
    const at = this.advance(bytes.length);
    this.memory.set(bytes, at);
  }

  /** @param text must satisfy `isGuidText` */
  guid(text: string): void {
    this.bytes(guidBytes(text));
  }

  /** A count of units, then UTF-16 with a NUL; an absent text has no units. */
  text(text: string | undefined): void {
    if (text === undefined) {
      this.uint32(0);
      return;
    }
    this.uint32(text.length + 1);
    this.bytes(Buffer.from(`${text}\0`, 'utf16le'));
  }

  array<T>(items: readonly T[], write: (item: T) => void): void {
    this.uint32(items.length);
    for (const item of items) write(item);
  }

  uint32Array(values: readonly number[]): void {
    this.array(values, (value) => this.uint32(value));
  }

  /** What has been written. */
  finish(): Uint8Array {
    return this.memory.slice(0, this.length);
  }

  /** Makes room, which may replace `memory` and `view`. */
  private advance(size: number): number {
    const at = this.length;
    this.length += size;
    if (this.length > this.memory.length) {
      const grown = new Uint8Array(Math.max(this.length, 2 * this.memory.length));
      grown.set(this.memory);
      this.memory = grown;
      this.view = viewOf(grown);
    }
    return at;
  }
}
