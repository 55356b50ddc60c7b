/** The files of a flight recorder: each is complete when it gets its name, and their total size is limited. */
import { unlinkSync, writev, writevSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OutputError, OutputFile } from '../base/output-file.ts';
import { type Piece, pieceSize } from '../wire/nettrace/write/framing.ts';

/** The bytes written at once; in between, the event loop continues. */
const CHUNK_SIZE = 1 << 20;
const written = promisify(writev);

export interface WrittenFile {
  readonly file: string;
  readonly bytes: number;
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

  /** Whether files can be made: makes one, and removes it. @throws OutputError */
  check(): void {
    new OutputFile(join(this.#folder, `flight-${process.pid}-check`)).abandon();
  }

  /** @throws OutputError */
  async write(trigger: string, pieces: Iterator<Piece, void, undefined>): Promise<WrittenFile> {
    const file = new OutputFile(this.#nameOf(trigger));
    let size = 0;
    try {
      for (const chunk of chunksOf(pieces)) {
        size += whole((await written(file.descriptor, chunk)).bytesWritten, chunk);
      }
    } catch (error) {
      throw abandoned(file, error);
    }
    return this.#keep(file, size);
  }

  /** Writes the file synchronously: the process may be about to end. @throws OutputError */
  writeNow(trigger: string, pieces: Iterator<Piece, void, undefined>): WrittenFile {
    const file = new OutputFile(this.#nameOf(trigger));
    let size = 0;
    try {
      for (const chunk of chunksOf(pieces)) size += whole(writevSync(file.descriptor, chunk), chunk);
    } catch (error) {
      throw abandoned(file, error);
    }
    return this.#keep(file, size);
  }

  /** Names sort by time. */
  #nameOf(trigger: string): string {
    const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
    return join(this.#folder, `flight-${process.pid}-${time}-${++this.#count}-${trigger}.nettrace`);
  }

  /** @throws OutputError */
  #keep(file: OutputFile, bytes: number): WrittenFile {
    file.commit();
    const written = { file: file.path, bytes };
    const files = [...this.#files, written];
    let total = files.reduce((sum, each) => sum + each.bytes, 0);
    while (files.length > 1 && total > this.#maxSize) {
      const [oldest] = files.splice(0, 1) as [WrittenFile];
      total -= oldest.bytes;
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
function whole(size: number, chunk: Piece): number {
  if (size === pieceSize(chunk)) return size;
  throw Object.assign(new Error('There is no room for all of it.'), { code: 'ENOSPC' });
}

function abandoned(file: OutputFile, error: unknown): OutputError {
  file.abandon();
  return new OutputError(file.path, error);
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
