/** A trace in a file on disk, or in anything else with a path: a pipe is read as a stream. */
import { type FileHandle, open } from 'node:fs/promises';
import { CHUNK_SIZE, chunksOf, HEAD_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';
import { seekableFile } from './seekable-file.ts';
import { openStream } from './stream-source.ts';

/** @throws the system's error if the file cannot be opened or read */
export async function openFile(path: string): Promise<OpenedSource> {
  const handle = await open(path);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return await openStream(pieces(handle), path);
    const bytes = seekableFile(handle, stat.size);
    return new FileSource(path, bytes, await bytes.read(0, HEAD_SIZE));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

class FileSource implements OpenedSource {
  readonly name: string;
  readonly size: number;
  readonly head: Uint8Array;
  readonly #bytes: SeekableBytes;

  constructor(path: string, bytes: SeekableBytes, head: Uint8Array) {
    this.name = path;
    this.size = bytes.size;
    this.head = head;
    this.#bytes = bytes;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* chunksOf(this.#bytes);
    } finally {
      await this.close();
    }
  }

  async seekable(): Promise<SeekableBytes> {
    return this.#bytes;
  }

  close(): Promise<void> {
    return this.#bytes.close();
  }
}

/** Reads a file whose size is meaningless, like a pipe's, until it ends. */
async function* pieces(handle: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(
        Buffer.allocUnsafeSlow(CHUNK_SIZE),
        0,
        CHUNK_SIZE,
        null,
      );
      if (bytesRead === 0) return;
      // A pipe usually returns far less than requested: copying avoids retaining the rest of the buffer.
      yield bytesRead < CHUNK_SIZE / 2 ? buffer.slice(0, bytesRead) : buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
