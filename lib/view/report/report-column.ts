/**
 * A column of a report, compressed as it is written, so that a report of a large trace takes little memory.
 *
 * Its chunks are blocks of raw DEFLATE that end at byte boundaries: the concatenated chunks of all columns form one
 * stream.
 */
import { constants, deflateRawSync } from 'node:zlib';
import { ByteWriter } from '../../base/byte-writer.ts';

/** Bytes compressed at a time: much more than the 32 KiB that DEFLATE looks back. */
const CHUNK_SIZE = 1 << 18;

export class ReportColumn {
  readonly #chunks: Uint8Array[] = [];
  readonly #waiting = new ByteWriter();
  #compressed = 0;

  /** The uncompressed size in bytes. */
  get length(): number {
    return this.#compressed + this.#waiting.length;
  }

  varUint(value: number): void {
    this.#waiting.varUint(value);
    if (this.#waiting.length >= CHUNK_SIZE) this.#compress();
  }

  optionalVarUint(value: number | undefined): void {
    this.varUint(value === undefined ? 0 : value + 1);
  }

  /** Little-endian. */
  double(value: number): void {
    this.#waiting.double(value);
    if (this.#waiting.length >= CHUNK_SIZE) this.#compress();
  }

  /** @param size in UTF-8 */
  text(text: string, size: number): void {
    this.#waiting.reserve(size);
    this.#waiting.buffer.write(text, this.#waiting.length);
    this.#waiting.length += size;
    if (this.#waiting.length >= CHUNK_SIZE) this.#compress();
  }

  /** Everything written, compressed. */
  chunks(): readonly Uint8Array[] {
    if (this.#waiting.length > 0) this.#compress();
    return this.#chunks;
  }

  #compress(): void {
    this.#chunks.push(deflated(this.#waiting.current()));
    this.#compressed += this.#waiting.length;
    this.#waiting.length = 0;
  }
}

/** Compresses into blocks that others may follow. */
export function deflated(bytes: Uint8Array): Uint8Array {
  return deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** An empty block that is the last one. */
export const DEFLATE_END: Uint8Array = Uint8Array.of(3, 0);
