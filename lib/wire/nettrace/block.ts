/** A block of a nettrace, and the framing that gives it, of whatever version. */
import { viewOf } from '../bytes.ts';
import type { ByteQueue } from './byte-queue.ts';

export class Block {
  /** See `BlockKind`; of versions 3 and 4 too. */
  readonly kind: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Of its first byte in the trace. */
  readonly position: number;
  /** Events of it that wait for older ones; see `EventOrder`. */
  waiting = 0;

  constructor(kind: number, bytes: Uint8Array, position: number) {
    this.kind = kind;
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.position = position;
  }
}

/** Cuts a trace into its blocks. */
export interface Framing {
  /** See `FormatVersion`; known from the first block on. */
  readonly formatVersion: number;
  /** Whether the trace has been read to the end that it has itself. */
  readonly isAtEnd: boolean;
  /**
   * The next block if it is all there.
   *
   * @throws NetTraceError
   */
  next(queue: ByteQueue): Block | undefined;
  /** What is there of a block that is not all there. */
  partOfNext(queue: ByteQueue): Block | undefined;
}
