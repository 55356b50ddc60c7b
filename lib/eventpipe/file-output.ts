/**
 * A session's file. It is written in the background, chunk by chunk, or synchronously if that cannot wait. Each chunk
 * has a fixed position in the file, so one that may or may not have been written is simply written again.
 */

import { ftruncateSync, writeSync, writev } from 'node:fs';
import { OutputError, OutputFile } from '../base/output-file.ts';
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
  #file: OutputFile | undefined;
  /** Parts waiting to be written. */
  #parts: Piece = [];
  #pendingBytes = 0;
  #writtenBytes = 0;
  /** Where chunks end that have not been written completely, and the end of the last one that has. */
  #ends: number[] = [];
  #wholeBytes = 0;
  #hasFailed = false;
  /** Whether a write is in progress. */
  #isBusy = false;
  #onIdle: () => void = () => {};

  /** Creates the file, in place of an existing one. */
  constructor(path: string, onFailed: OnOutputFailed) {
    this.#path = path;
    this.#onFailed = onFailed;
    let file: OutputFile | undefined;
    try {
      file = new OutputFile(path);
      file.take();
      this.#file = file;
    } catch (error) {
      file?.abandon();
      this.#fail(error);
    }
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  write(piece: Piece, at: number): void {
    if (this.#file === undefined || this.#hasFailed || piece.length === 0) return;
    if (at >= this.#writtenBytes + this.#pendingBytes) {
      const parts = [...this.#parts, ...piece];
      const size = pieceSize(piece);
      const ends = [...this.#ends, at + size];
      // No calls: the chunk has been accepted.
      this.#parts = parts;
      this.#ends = ends;
      this.#pendingBytes += size;
    }
    if (!this.#isBusy) this.#next();
  }

  /** Writes everything before it returns. */
  drain(): void {
    try {
      for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
        if (this.#file === undefined) return;
        this.#advance(writeSync(this.#file.descriptor, part, 0, part.length, this.#writtenBytes));
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
    const file = this.#file;
    if (file === undefined) return;
    // A write may have ended after the failure.
    if (this.#hasFailed) this.#cut(file);
    this.#file = undefined;
    try {
      file.commit();
    } catch (error) {
      this.#fail(error);
    }
  }

  #next(): void {
    if (this.#parts.length === 0 || this.#file === undefined) {
      this.#isBusy = false;
      this.#onIdle();
      return;
    }
    const position = this.#writtenBytes;
    writev(this.#file.descriptor, this.#parts.slice(0, MAX_TOGETHER), position, (error, size) => {
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
    const written = this.#writtenBytes + size;
    const ends = this.#ends.filter((end) => end > written);
    const wholeBytes = this.#ends[this.#ends.length - ends.length - 1] ?? this.#wholeBytes;
    // No calls: these bytes are counted once.
    this.#parts = rest;
    this.#ends = ends;
    this.#wholeBytes = wholeBytes;
    this.#writtenBytes = written;
    this.#pendingBytes -= size;
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#parts = [];
    this.#ends = [];
    this.#pendingBytes = 0;
    this.#writtenBytes = this.#wholeBytes;
    if (this.#file !== undefined) this.#cut(this.#file);
    const { reason } = new OutputError(this.#path, error);
    this.#onFailed(`The session's file ${this.#path} cannot be written (${reason}).`);
  }

  /** Leaves whole chunks in the file: what a reader finds there is what the session counts as written. */
  #cut(file: OutputFile): void {
    try {
      ftruncateSync(file.descriptor, this.#wholeBytes);
    } catch {
      // A device has no size, and what is wrong with a file is known already.
    }
  }
}
