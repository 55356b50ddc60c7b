/** A trace in a file on disk, or in whatever else a path leads to: a pipe is read as a stream. */
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { CHUNK_SIZE, HEAD_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';
import { openStream } from './stream-source.ts';

/** @throws the system's error where the file cannot be opened or read */
export async function openFile(path: string): Promise<OpenedSource> {
  const handle = await open(path);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return await openStream(pieces(handle), path);
    return new FileSource(path, handle, stat.size, await readFully(handle, 0, HEAD_SIZE));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The bytes of a file at any position. */
export function seekableFile(handle: FileHandle, size: number, temporaryPath?: string): SeekableBytes {
  let isOpen = true;
  return {
    size,
    read: (offset, length) => readFully(handle, offset, Math.min(length, Math.max(0, size - offset))),
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
      if (temporaryPath !== undefined) await unlink(temporaryPath);
    },
  };
}

class FileSource implements OpenedSource {
  readonly name: string;
  readonly size: number;
  readonly head: Uint8Array;
  readonly #bytes: SeekableBytes;

  constructor(path: string, handle: FileHandle, size: number, head: Uint8Array) {
    this.name = path;
    this.size = size;
    this.head = head;
    this.#bytes = seekableFile(handle, size);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let offset = 0; offset < this.size; offset += CHUNK_SIZE) {
        const chunk = await this.#bytes.read(offset, CHUNK_SIZE);
        if (chunk.length === 0) return; // The file has become shorter.
        yield chunk;
      }
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

/** Of a file whose size says nothing, as a pipe's, until it ends. */
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
      // A pipe mostly gives far less than was asked for: what it gave is not to keep all the rest in memory.
      yield bytesRead < CHUNK_SIZE / 2 ? buffer.slice(0, bytesRead) : buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function readFully(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
