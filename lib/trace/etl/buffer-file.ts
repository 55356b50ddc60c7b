/** The buffers of an .etl file, one after the other, or one at a known place. */

import { viewOf } from '../../wire/bytes.ts';
import { type EtlBuffer, openBuffer } from '../../wire/etl/buffer.ts';
import { isBlankHeader, readBufferHeader } from '../../wire/etl/buffer-header.ts';
import { BUFFER_HEADER_SIZE } from '../../wire/etl/constants.ts';
import { EtlError } from '../../wire/etl/error.ts';
import { CHUNK_SIZE, type SeekableBytes } from '../byte-source.ts';

/** Buffers of less are read together with what stands around them: a read takes longer than its bytes. */
const SMALL_BUFFER_SIZE = 64 << 10;
const SPAN_SIZE = 256 << 10;
/** Each processor fills buffers of its own, so that those that are due stand at several places of the file. */
const MAX_SPANS = 32;

/** Reads buffers at known places, in whatever order. */
export class BufferFile {
  readonly #bytes: SeekableBytes;
  /** The latest ones, by their number in the file. */
  readonly #spans = new Map<number, Uint8Array>();

  constructor(bytes: SeekableBytes) {
    this.#bytes = bytes;
  }

  async read(position: number, size: number): Promise<EtlBuffer> {
    const number = Math.floor(position / SPAN_SIZE);
    const start = number * SPAN_SIZE;
    if (size >= SMALL_BUFFER_SIZE || position + size > start + SPAN_SIZE) {
      return openBuffer(await this.#bytes.read(position, size), position);
    }
    let span = this.#spans.get(number);
    if (span === undefined) {
      span = await this.#bytes.read(start, SPAN_SIZE);
      this.#spans.set(number, span);
      const [oldest] = this.#spans.keys();
      if (this.#spans.size > MAX_SPANS && oldest !== undefined) this.#spans.delete(oldest);
    }
    return openBuffer(span.subarray(position - start, position - start + size), position);
  }
}

/** Each is kept in the index. Sessions have buffers of 4 KB at the least: these are 16 GB. */
const MAX_BUFFERS = 4_000_000;

/**
 * All buffers in the file's order, read in larger pieces.
 *
 * @throws EtlError where the next one cannot be found, as the one before is damaged or the file ends inside it;
 *   and where there are too many
 */
export async function* readBuffers(
  bytes: SeekableBytes,
  maxBuffers: number = MAX_BUFFERS,
): AsyncGenerator<EtlBuffer, void, undefined> {
  let left = maxBuffers;
  let chunk: Uint8Array = new Uint8Array(0);
  let chunkStart = 0;
  const at = async (position: number, size: number): Promise<Uint8Array> => {
    const wanted = Math.min(size, bytes.size - position);
    if (position + wanted > chunkStart + chunk.length) {
      chunk = await bytes.read(position, Math.max(wanted, CHUNK_SIZE));
      chunkStart = position;
    }
    return chunk.subarray(position - chunkStart, position - chunkStart + size);
  };

  for (let position = 0; position < bytes.size; ) {
    const head = await at(position, BUFFER_HEADER_SIZE);
    if (isBlankHeader(head)) return;
    if (left-- === 0) {
      throw new EtlError('unsupported', position, `More than ${maxBuffers} buffers are not read.`);
    }
    const { size } = readBufferHeader(viewOf(head), position);
    yield openBuffer(await at(position, size), position);
    position += size;
  }
}
