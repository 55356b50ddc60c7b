/**
 * A session's file. It is written in the background, piece by piece, and at once where that cannot be waited
 * for. Each piece has its place in the file, so one that may or may not have got there is just written again.
 */
import { close, openSync, write, writeSync } from 'node:fs';
import type { OnOutputFailed, SessionOutput } from './output.ts';

export class FileOutput implements SessionOutput {
  readonly #path: string;
  readonly #onFailed: OnOutputFailed;
  #descriptor: number | undefined;
  #pieces: Uint8Array[] = [];
  #pendingBytes = 0;
  #writtenBytes = 0;
  /** A piece is on its way. */
  #isBusy = false;
  #onIdle: () => void = () => {};

  /** Creates the file, or empties it. */
  constructor(path: string, onFailed: OnOutputFailed) {
    this.#path = path;
    this.#onFailed = onFailed;
    try {
      // For its owner alone: events may tell what others are not to know.
      this.#descriptor = openSync(path, 'w', 0o600);
    } catch (error) {
      this.#fail(error);
    }
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.#descriptor === undefined || bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#pendingBytes += bytes.length;
    if (!this.#isBusy) this.#next();
  }

  /** Writes everything before it returns. */
  drain(): void {
    try {
      for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
        if (this.#descriptor === undefined) return;
        this.#advance(piece, writeSync(this.#descriptor, piece, 0, piece.length, this.#writtenBytes));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async end(): Promise<void> {
    if (this.#isBusy) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return;
    await new Promise<void>((resolve) => {
      close(descriptor, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    });
  }

  #next(): void {
    const [piece] = this.#pieces;
    this.#isBusy = piece !== undefined && this.#descriptor !== undefined;
    if (piece === undefined || this.#descriptor === undefined) {
      this.#onIdle();
      return;
    }
    write(this.#descriptor, piece, 0, piece.length, this.#writtenBytes, (error, size) => {
      // Else it was drained meanwhile.
      if (piece === this.#pieces[0]) {
        if (error) this.#fail(error);
        else this.#advance(piece, size);
      }
      this.#next();
    });
  }

  /** So many bytes of the first piece are in the file. */
  #advance(piece: Uint8Array, size: number): void {
    this.#writtenBytes += size;
    this.#pendingBytes -= size;
    if (size === piece.length) this.#pieces.shift();
    else this.#pieces[0] = piece.subarray(size);
  }

  #fail(error: unknown): void {
    this.#pieces = [];
    this.#pendingBytes = 0;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    this.#onFailed(`The session's file ${this.#path} cannot be written (${code}).`);
  }
}
