/** A trace that comes as a stream: from a pipe, the network, or out of an archive. */
import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEAD_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';
import { seekableFile } from './file-source.ts';

/** Reads as much of the stream as its head takes. */
export async function openStream(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  closeBelow: () => Promise<void> = async () => {},
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
  return new StreamSource(name, first, iterator, closeBelow);
}

class StreamSource implements OpenedSource {
  readonly name: string;
  readonly size = undefined;
  readonly head: Uint8Array;
  readonly #first: readonly Uint8Array[];
  readonly #rest: AsyncIterator<Uint8Array>;
  readonly #closeBelow: () => Promise<void>;
  #spooled: SeekableBytes | undefined;
  #isClosed = false;

  constructor(
    name: string,
    first: readonly Uint8Array[],
    rest: AsyncIterator<Uint8Array>,
    closeBelow: () => Promise<void>,
  ) {
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
    const path = join(tmpdir(), `tracewright-${randomUUID()}.tmp`);
    const handle = await open(path, 'wx+', 0o600);
    try {
      let size = 0;
      for await (const chunk of this.chunks()) {
        await handle.write(chunk);
        size += chunk.length;
      }
      this.#spooled = seekableFile(handle, size, path);
      return this.#spooled;
    } catch (error) {
      await handle.close();
      await unlink(path);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#spooled?.close();
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#rest.return?.();
    await this.#closeBelow();
  }
}
