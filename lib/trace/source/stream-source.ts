/** A trace that arrives as a stream: from a pipe, the network, or an archive. */

import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TraceError } from '../../wire/trace-error.ts';
import { HEAD_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';
import { seekableFile } from './seekable-file.ts';

/** The maximum size of a temporary file: a few bytes of an archive can expand enormously. */
const MAX_SPOOLED = 8 * 1024 ** 3;

/**
 * Reads as much of the stream as its head takes.
 *
 * @param maxSpooled the maximum size of a temporary file, if one is needed
 */
export async function openStream(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  closeBelow: () => Promise<void> = async () => {},
  maxSpooled: number = MAX_SPOOLED,
): Promise<OpenedSource> {
  const iterator = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_SIZE) {
    const next = await iterator.next();
    if (next.done === true) break;
    first.push(next.value);
    length += next.value.length;
  }
  return new StreamSource(name, first, iterator, closeBelow, maxSpooled);
}

class StreamSource implements OpenedSource {
  readonly name: string;
  readonly size = undefined;
  readonly head: Uint8Array;
  readonly #first: readonly Uint8Array[];
  readonly #rest: AsyncIterator<Uint8Array>;
  readonly #closeBelow: () => Promise<void>;
  readonly #maxSpooled: number;
  #spooled: SeekableBytes | undefined;
  #isClosed = false;

  constructor(
    name: string,
    first: readonly Uint8Array[],
    rest: AsyncIterator<Uint8Array>,
    closeBelow: () => Promise<void>,
    maxSpooled: number,
  ) {
    this.#maxSpooled = maxSpooled;
    this.name = name;
    this.head = Buffer.concat(first).subarray(0, HEAD_SIZE);
    this.#first = first;
    this.#rest = rest;
    this.#closeBelow = closeBelow;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#first;
      for (;;) {
        const next = await this.#rest.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await this.close();
    }
  }

  async seekable(): Promise<SeekableBytes> {
    const handle = await openTemporary();
    try {
      let size = 0;
      for await (const chunk of this.chunks()) {
        size += chunk.length;
        if (size > this.#maxSpooled) throw this.#tooLarge();
        await handle.writeFile(chunk);
      }
      this.#spooled = seekableFile(handle, size);
      return this.#spooled;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  #tooLarge(): TraceError {
    const sentence =
      `${this.name} decompresses to more than the ${this.#maxSpooled} bytes allowed for a temporary file: ` +
      'decompress it to a file yourself, and open that.';
    return new TraceError('unsupported', this.#maxSpooled, sentence);
  }

  async close(): Promise<void> {
    await this.#spooled?.close();
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#rest.return?.();
    await this.#closeBelow();
  }
}

/** libuv passes this on to Windows' `_open`: the system deletes the file when it is closed. */
const O_TEMPORARY = 0x40;

/**
 * A file that disappears when it is closed, and so when the process ends in any way: on Windows because of the flag
 * above, elsewhere because it no longer has a name.
 */
async function openTemporary(): Promise<FileHandle> {
  const path = join(tmpdir(), `tracewright-${crypto.randomUUID()}.tmp`);
  const isWindows = process.platform === 'win32';
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (isWindows ? O_TEMPORARY : 0);
  const handle = await open(path, flags, 0o600);
  try {
    if (!isWindows) await unlink(path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
