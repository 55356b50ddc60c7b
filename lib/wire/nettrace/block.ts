/** A block of a nettrace, and the framing that contains it, in any version. */
import { viewOf } from '../../base/bytes.ts';
import type { ByteQueue } from './byte-queue.ts';

export class Block {
  /** See `BlockKind`; for versions 3 and 4, too. */
  readonly kind: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** The position of its first byte in the trace. */
  readonly position: number;
  /** Its events that wait for older ones; see `EventOrder`. */
  waiting = 0;

  constructor(kind: number, bytes: Uint8Array, position: number) {
    this.kind = kind;
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.position = position;
  }
}

/** Splits a trace into its blocks. */
export interface Framing {
  /** See `FormatVersion`; known after the first block. */
  readonly formatVersion: number;
  /** Whether the trace's own end marker has been read. */
  readonly isAtEnd: boolean;
  /**
   * The next block, if it is complete.
   *
   * @throws TraceError
   */
  next(queue: ByteQueue): Block | undefined;
  /** What has arrived of an incomplete block. */
  partOfNext(queue: ByteQueue): Block | undefined;
}
