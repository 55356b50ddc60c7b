/** A block of a nettrace, as the framing of every version gives it. */
import { viewOf } from '../bytes.ts';

export class Block {
  /** See `BlockKind`; of versions 3 and 4 too. */
  readonly kind: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Of its first byte in the trace. */
  readonly position: number;

  constructor(kind: number, bytes: Uint8Array, position: number) {
    this.kind = kind;
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.position = position;
  }
}
