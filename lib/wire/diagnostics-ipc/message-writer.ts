/** Writes a message's values in sequence, all little-endian. */
import { ByteWriter } from '../../base/byte-writer.ts';
import { guidBytes } from '../guid.ts';

export class MessageWriter extends ByteWriter {
  boolean(value: boolean): void {
    this.uint8(value ? 1 : 0);
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
    this.uint32(text.length + 1)
      .utf16(text)
      .uint16(0);
  }

  array<T>(items: readonly T[], write: (item: T) => void): void {
    this.uint32(items.length);
    for (const item of items) write(item);
  }

  uint32Array(values: readonly number[]): void {
    this.array(values, (value) => this.uint32(value));
  }
}
