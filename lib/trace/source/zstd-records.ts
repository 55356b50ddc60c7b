/**
 * Decompresses records (`perf record -z`): they form one Zstandard stream, flushed at the end of each. Source: Linux
 * `tools/perf/util/zstd.c`.
 */

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { thrownMessage } from '../../base/value-text.ts';
import { TraceError } from '../../wire/trace-error.ts';

/** Node.js has this from 22.15 and 23.8 on; the types are those of the oldest supported version. */
const { createZstdDecompress } = zlib as {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Transform;
};

/** Bytes decompressed at a time: a small record can expand a lot. */
const CHUNK_SIZE = 1 << 18;

/** Decompresses the parts of one stream, each in chunks. */
interface Unpacker {
  unpack(data: Uint8Array): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  close?(): void;
}

export class RecordUnpacker {
  #unpacker: Unpacker | undefined;

  /**
   * The content of the record, in chunks.
   * @param position of the record, for errors
   * @throws TraceError
   */
  async *unpack(data: Uint8Array, position: number): AsyncGenerator<Uint8Array> {
    this.#unpacker ??= await openUnpacker();
    try {
      yield* this.#unpacker.unpack(data);
    } catch (error) {
      const reason = thrownMessage(error);
      throw new TraceError(
        'malformed',
        position,
        `The compressed records cannot be decompressed: ${reason}.`,
        {
          cause: error,
        },
      );
    }
  }

  close(): void {
    this.#unpacker?.close?.();
  }
}

async function openUnpacker(): Promise<Unpacker> {
  if (createZstdDecompress !== undefined)
    return new NodeUnpacker(createZstdDecompress({ chunkSize: CHUNK_SIZE }));
  return (await import('./zstd-blocks.ts')).openZstdBlocks();
}

class NodeUnpacker implements Unpacker {
  readonly #stream: Transform;
  #failure: Error | undefined;
  #wake = () => {};

  constructor(stream: Transform) {
    this.#stream = stream;
    stream.on('readable', () => this.#wake());
    stream.on('error', (error) => {
      this.#failure = error;
      this.#wake();
    });
  }

  async *unpack(data: Uint8Array): AsyncGenerator<Uint8Array> {
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
        throw this.#failure;
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
    this.#stream.destroy();
  }
}
