/** A stream that receives a session's bytes. The session owns and ends it. */
import { finished, type Writable } from 'node:stream';
import { thrownText } from '../base/value-text.ts';
import { type Piece, pieceBytes } from '../wire/nettrace/write/framing.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';

export class StreamOutput implements SessionOutput {
  readonly #stream: Writable;
  readonly #onFailed: OnOutputFailed;
  readonly #finished: Promise<void>;
  #isEnding = false;
  /** Whether the stream is taking a chunk. */
  #isWriting = false;
  #hasFailed = false;
  #pendingBytes = 0;
  #writtenBytes = 0;

  constructor(stream: Writable, onFailed: OnOutputFailed) {
    this.#stream = stream;
    this.#onFailed = onFailed;
    this.#finished = new Promise((resolve) => {
      finished(stream, { readable: false }, (error) => {
        if (error) this.#fail(error);
        else if (!this.#isEnding) this.#onFailed("The session's stream was ended from outside.");
        resolve();
      });
    });
    // A stream may fail again when it is ended, and there may be no other error handler.
    stream.on('error', () => {});
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  write(piece: Piece, at: number): void {
    if (piece.length === 0 || this.#hasFailed) return;
    // Unknown: whether the stream took the chunk during which it was terminated.
    if (this.#isWriting) this.#fail(new Error('it was interrupted while it took a chunk.'));
    if (this.#hasFailed || at < this.#writtenBytes + this.#pendingBytes) return;
    const bytes = pieceBytes(piece);
    const size = bytes.length;
    this.#guard(() => {
      this.#pendingBytes += size;
      this.#isWriting = true;
      this.#stream.write(bytes, (error) => {
        this.#pendingBytes -= size;
        if (error) this.#fail(error);
        else this.#writtenBytes += size;
      });
      this.#isWriting = false;
    });
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    if (!this.#hasFailed) this.#guard(() => this.#stream.end());
    // A stream that has thrown would not end by itself.
    if (this.#hasFailed) this.#guard(() => this.#stream.destroy());
    await this.#finished;
  }

  /** An application's stream may throw. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#onFailed(`The session's stream cannot be written: ${thrownText(error)}`);
  }
}
