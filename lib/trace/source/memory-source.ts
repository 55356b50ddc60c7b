/** A trace that is in memory. */
import { HEAD_SIZE, type OpenedSource, type SeekableBytes } from '../byte-source.ts';

export class MemorySource implements OpenedSource {
  readonly name = 'the given bytes';
  readonly size: number;
  readonly head: Uint8Array;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.length;
    this.head = bytes.subarray(0, HEAD_SIZE);
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#bytes.length > 0) yield this.#bytes;
  }

  async seekable(): Promise<SeekableBytes> {
    const bytes = this.#bytes;
    return {
      size: bytes.length,
      read: async (offset, length) => bytes.subarray(offset, offset + length),
      close: async () => {},
    };
  }

  async close(): Promise<void> {}
}
