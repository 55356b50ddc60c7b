/** Takes the bytes of a session to where they go. */
import type { Piece } from '../wire/nettrace/write/framing.ts';

export interface SessionOutput {
  /** Bytes that were accepted but have not been written. */
  readonly pendingBytes: number;
  /** Bytes that have been written. */
  readonly writtenBytes: number;
  /**
   * Takes the next bytes, or none. If it throws because of a stack overflow or lack of memory, it may or may not have taken
   * them: it is passed the same ones again, and takes them only once.
   *
   * @param at where they begin among all bytes of the session
   */
  write(piece: Piece, at: number): void;
  /** Resolves when everything has been written, or nothing more can be; never rejects. */
  end(): Promise<void>;
}

/** Called once, with a sentence, when nothing more can be written. */
export type OnOutputFailed = (problem: string) => void;
