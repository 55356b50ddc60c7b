/** The files of a flight recorder: each is complete when it gets its name, and their total size is limited. */
import { closeSync, openSync, renameSync, rmSync, unlinkSync, writevSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Piece, pieceSize } from '../wire/nettrace/write/framing.ts';

/** The bytes written at once; in between, the event loop continues. */
const CHUNK_SIZE = 1 << 20;
const PRIVATE = 0o600;

export interface WrittenFile {
  readonly file: string;
  /** In bytes. */
  readonly size: number;
}

export class DumpFiles {
  readonly #folder: string;
  readonly #maxSize: number;
  #files: readonly WrittenFile[] = [];
  #count = 0;

  /** @param maxSize the limit for all files together, in bytes: the oldest are removed */
  constructor(folder: string, maxSize: number) {
    this.#folder = folder;
    this.#maxSize = maxSize;
  }

  /** Whether files can be made: makes one, and removes it. @throws the system's error */
  check(): void {
    const file = `${this.#nameOf('check')}.partial`;
    closeSync(openSync(file, 'wx', PRIVATE));
    unlinkSync(file);
  }

  /** @throws the system's error */
  async write(trigger: string, pieces: Iterator<Piece, void, undefined>): Promise<WrittenFile> {
    const file = this.#nameOf(trigger);
    const partial = `${file}.partial`;
    let size = 0;
    const handle = await open(partial, 'wx', PRIVATE);
    try {
      for (const chunk of chunksOf(pieces)) {
        const { bytesWritten } = await handle.writev(chunk);
        size += whole(bytesWritten, chunk);
      }
    } catch (error) {
      rmSync(partial, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    await rename(partial, file);
    return this.#keep({ file, size });
  }

  /** The same, synchronously: the process may be about to end. @throws the system's error */
  writeNow(trigger: string, pieces: Iterator<Piece, void, undefined>): WrittenFile {
    const file = this.#nameOf(trigger);
    const partial = `${file}.partial`;
    let size = 0;
    const descriptor = openSync(partial, 'wx', PRIVATE);
    try {
      for (const chunk of chunksOf(pieces)) size += whole(writevSync(descriptor, chunk), chunk);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
    return this.#keep({ file, size });
  }

  /** Names sort by time. */
  #nameOf(trigger: string): string {
    const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
    return join(this.#folder, `flight-${process.pid}-${time}-${++this.#count}-${trigger}.nettrace`);
  }

  #keep(written: WrittenFile): WrittenFile {
    const files = [...this.#files, written];
    let total = files.reduce((sum, { size }) => sum + size, 0);
    while (files.length > 1 && total > this.#maxSize) {
      const [oldest] = files.splice(0, 1) as [WrittenFile];
      total -= oldest.size;
      try {
        unlinkSync(oldest.file);
      } catch {
        // Somebody has removed or moved it.
      }
    }
    this.#files = files;
    return written;
  }
}

/** @throws Error if not everything was written: the disk is full */
function whole(written: number, chunk: Piece): number {
  if (written === pieceSize(chunk)) return written;
  throw new Error('there is no room for all of it.');
}

function* chunksOf(pieces: Iterator<Piece, void, undefined>): Generator<Uint8Array[], void, undefined> {
  let chunk: Uint8Array[] = [];
  let size = 0;
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    chunk.push(...next.value);
    size += pieceSize(next.value);
    if (size < CHUNK_SIZE) continue;
    yield chunk;
    chunk = [];
    size = 0;
  }
  if (chunk.length > 0) yield chunk;
}
