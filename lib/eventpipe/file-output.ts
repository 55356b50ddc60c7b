/**
 * A session's file. It is written in the background, chunk by chunk, or synchronously if that cannot wait. Each chunk
 * has a fixed position in the file, so one that may or may not have been written is simply written again.
 */

import { close, writeSync, writev } from 'node:fs';
import { openPrivateFile } from '../base/private-file.ts';
import { systemCodeText } from '../base/system-code.ts';
import { type Piece, pieceSize } from '../wire/nettrace/write/framing.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';

/**
 * The maximum number of parts written together: those that arrived during the previous write. One at a time would mean
 * one per turn of the event loop, and a busy application has few of those.
 */
const MAX_TOGETHER = 256;

export class FileOutput implements SessionOutput {
  readonly #path: string;
  readonly #onFailed: OnOutputFailed;
  #descriptor: number | undefined;
  /** Parts waiting to be written. */
  #parts: Piece = [];
  #pendingBytes = 0;
  #writtenBytes = 0;
  /** The last accepted chunk. */
  #newest: Piece | undefined;
  /** Whether a write is in progress. */
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

  write(piece: Piece): void {
    if (this.#descriptor === undefined || piece.length === 0) return;
    if (piece !== this.#newest) {
      const parts = [...this.#parts, ...piece];
      const size = pieceSize(piece);
      // No calls: the chunk has been accepted.
      this.#parts = parts;
      this.#newest = piece;
      this.#pendingBytes += size;
    }
    if (!this.#isBusy) this.#next();
  }

  /** Writes everything before it returns. */
  drain(): void {
    try {
      for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
        if (this.#descriptor === undefined) return;
        this.#advance(writeSync(this.#descriptor, part, 0, part.length, this.#writtenBytes));
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
    if (this.#parts.length === 0 || this.#descriptor === undefined) {
      this.#isBusy = false;
      this.#onIdle();
      return;
    }
    const position = this.#writtenBytes;
    writev(this.#descriptor, this.#parts.slice(0, MAX_TOGETHER), position, (error, size) => {
      // Otherwise it was drained meanwhile.
      if (position === this.#writtenBytes && this.#parts.length > 0) {
        if (error) this.#fail(error);
        else this.#advance(size);
      }
      this.#next();
    });
    // After the call, which may overflow the stack: later chunks would wait forever.
    this.#isBusy = true;
  }

  /** Marks the first `size` bytes as written. */
  #advance(size: number): void {
    let left = size;
    let whole = 0;
    for (const part of this.#parts) {
      if (left < part.length) break;
      left -= part.length;
      whole++;
    }
    const rest = this.#parts.slice(whole);
    const [first] = rest;
    if (left > 0 && first !== undefined) rest[0] = first.subarray(left);
    // No calls: these bytes are counted once.
    this.#parts = rest;
    this.#writtenBytes += size;
    this.#pendingBytes -= size;
  }

  #fail(error: unknown): void {
    this.#parts = [];
    this.#pendingBytes = 0;
    const code = systemCodeText(error);
    this.#onFailed(`The session's file ${this.#path} cannot be written (${code}).`);
  }
}
