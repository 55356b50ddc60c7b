/**
 * A session's file. It is written in the background, piece by piece, and at once where that cannot be waited
 * for. Each piece has its place in the file, so one that may or may not have got there is just written again.
 */

import { close, write, writeSync } from 'node:fs';
import { openPrivateFile } from '../base/private-file.ts';
import { systemCodeText } from '../base/system-code.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';

export class FileOutput implements SessionOutput {
  readonly #path: string;
  readonly #onFailed: OnOutputFailed;
  #descriptor: number | undefined;
  #pieces: Uint8Array[] = [];
  #pendingBytes = 0;
  #writtenBytes = 0;
  /** What was taken last. */
  #newest: Uint8Array | undefined;
  /** A piece is on its way. */
  #isBusy = false;
  #onIdle: () => void = () => {};

  /** Creates the file, or empties it. */
  constructor(path: string, onFailed: OnOutputFailed) {
    this.#path = path;
    this.#onFailed = onFailed;
    try {
      this.#descriptor = openPrivateFile(path);
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
    const size = bytes.length;
    if (this.#descriptor === undefined || size === 0) return;
    if (bytes !== this.#newest) {
      this.#pieces.push(bytes);
      // No calls: it has been taken.
      this.#newest = bytes;
      this.#pendingBytes += size;
    }
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
    if (piece === undefined || this.#descriptor === undefined) {
      this.#isBusy = false;
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
    // After the call, amid which the stack may end: the next piece would wait for it for ever.
    this.#isBusy = true;
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
    const code = systemCodeText(error);
    this.#onFailed(`The session's file ${this.#path} cannot be written (${code}).`);
  }
}
