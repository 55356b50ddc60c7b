/** The blocks of version 6: a word of kind and size, then the block. */
import { Block, type Framing } from './block.ts';
import type { ByteQueue } from './byte-queue.ts';
import { BlockKind, FormatVersion } from './constants.ts';

const HEAD_SIZE = 4;

export class BlockFraming implements Framing {
  readonly formatVersion: number = FormatVersion.V6;
  isAtEnd = false;
  private head: { readonly kind: number; readonly size: number } | undefined;

  next(queue: ByteQueue): Block | undefined {
    const head = this.readHead(queue);
    if (head === undefined || queue.length < head.size) return undefined;
    this.head = undefined;
    const position = queue.position;
    return new Block(head.kind, queue.take(head.size), position);
  }

  partOfNext(queue: ByteQueue): Block | undefined {
    if (this.head === undefined) return undefined;
    return new Block(this.head.kind, queue.peek(queue.length), queue.position);
  }

  private readHead(queue: ByteQueue): { readonly kind: number; readonly size: number } | undefined {
    if (this.head !== undefined) return this.head;
    if (this.isAtEnd || queue.length < HEAD_SIZE) return undefined;
    const bytes = queue.take(HEAD_SIZE);
    const word = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const kind = word >>> 24;
    if (kind === BlockKind.EndOfStream) {
      this.isAtEnd = true;
      return undefined;
    }
    this.head = { kind, size: word & 0xff_ffff };
    return this.head;
  }
}
