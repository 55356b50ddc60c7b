/**
 * Unpacks compressed records (`perf record -z`): one stream of Zstandard runs through all of them, flushed at
 * the end of each. Source: Linux `tools/perf/util/zstd.c`.
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { TraceError } from '../trace-error.ts';

/** From 22.15 and 23.8 on; the types are those of the oldest Node that is supported. */
const { createZstdDecompress } = zlib as {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Transform;
};

/** Bytes that are unpacked at a time: a small record may hold very much. */
const CHUNK_SIZE = 1 << 18;

export class RecordUnpacker {
  #stream: Transform | undefined;
  #failure: Error | undefined;
  #wake = () => {};

  /**
   * What the record holds, in pieces.
   * @param position of the record, for errors
   * @throws TraceError
   */
  async *unpack(data: Uint8Array, position: number): AsyncGenerator<Uint8Array> {
    this.#stream ??= this.#open(position);
    let isTaken = false;
    this.#stream.write(data, () => {
      isTaken = true;
      this.#wake();
    });
    for (;;) {
      const chunk: Uint8Array | null = this.#stream.read();
      if (chunk !== null) {
        yield chunk;
      } else if (this.#failure !== undefined) {
        throw new TraceError(
          'malformed',
          position,
          `The compressed records cannot be unpacked: ${this.#failure.message}.`,
          { cause: this.#failure },
        );
      } else if (isTaken) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  close(): void {
    this.#stream?.destroy();
  }

  #open(position: number): Transform {
    if (createZstdDecompress === undefined) {
      throw new TraceError(
        'unsupported',
        position,
        `The records are compressed with Zstandard, which Node has from 22.15 on, and this is ${process.version}; ` +
          'read it with a later Node, or record without -z.',
      );
    }
    const stream = createZstdDecompress({ chunkSize: CHUNK_SIZE });
    stream.on('readable', () => this.#wake());
    stream.on('error', (error) => {
      this.#failure = error;
      this.#wake();
    });
    return stream;
  }
}
