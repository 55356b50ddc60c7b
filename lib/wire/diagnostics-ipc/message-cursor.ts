/** Reads a message's values in order, and never past its end. All are little-endian. */
import { ByteCursor } from '../../base/byte-cursor.ts';
import { viewOf } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import { utf16Text } from '../utf16.ts';
import { DiagnosticsIpcError } from './error.ts';

export class MessageCursor extends ByteCursor {
  /** @param bytes the message up to its end */
  constructor(bytes: Uint8Array, start = 0) {
    super(bytes, viewOf(bytes), start);
  }

  boolean(): boolean {
    return this.uint8() !== 0;
  }

  /** A copy. */
  bytes(size: number): Uint8Array {
    return this.take(size).slice();
  }

  /** Returns the text in lower case. */
  guid(): string {
    return guidText(this.bytes(16));
  }

  /** See `MessageWriter.text`. */
  text(): string | undefined {
    const at = this.offset;
    const units = this.#count(2, 'characters of a text');
    if (units === 0) return undefined;
    const start = this.advance(2 * units);
    const end = start + 2 * units - 2;
    if (this.view.getUint16(end, true) !== 0) {
      return this.fail('A text has no NUL at its end.', at);
    }
    return utf16Text(this.memory, start, end);
  }

  /** A text that must be present and not empty. */
  name(what: string): string {
    const at = this.offset;
    const text = this.text();
    if (text === undefined || text === '') return this.fail(`There is no ${what}.`, at);
    return text;
  }

  /** @param leastSize the minimum size of an item in bytes */
  array<T>(what: string, leastSize: number, read: () => T): T[] {
    const count = this.#count(leastSize, what);
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(read());
    return items;
  }

  eventIds(): number[] {
    return this.array('ids of events', 4, () => this.uint32());
  }

  byteArray(): Uint8Array {
    return this.bytes(this.#count(1, 'bytes'));
  }

  override fail(reason: string, at: number = this.offset): never {
    throw new DiagnosticsIpcError('malformed', at, reason);
  }

  /** A number of items, for which there must be room. */
  #count(leastSize: number, what: string): number {
    const at = this.offset;
    const count = this.uint32();
    if (count * leastSize > this.left) {
      return this.fail(`There cannot be ${count} ${what} in ${this.left} bytes.`, at);
    }
    return count;
  }
}
