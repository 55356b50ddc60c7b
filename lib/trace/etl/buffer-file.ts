/** The buffers of an .etl file, in sequence or at known positions. */

import { viewOf } from '../../base/bytes.ts';
import { type EtlBuffer, openBuffer } from '../../wire/etl/buffer.ts';
import { type BufferForm, isBlankHeader, readBufferHeader } from '../../wire/etl/buffer-header.ts';
import { BUFFER_HEADER_SIZE } from '../../wire/etl/constants.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { CHUNK_SIZE, type SeekableBytes } from '../byte-source.ts';

/** Smaller buffers are read together with their surroundings: a read costs more than its bytes. */
const SMALL_BUFFER_SIZE = 64 << 10;
const SPAN_SIZE = 256 << 10;
/** Each processor fills its own buffers, so the next ones are at several positions in the file. */
const MAX_SPANS = 32;

/**
 * The maximum size of decompressed buffers kept for the second pass: decompression takes longer than everything else.
 */
const MAX_KEPT_BYTES = 64 << 20;

/** Decompressed buffers of the first pass, by index: the first ones. */
export class KeptBuffers {
  readonly #buffers = new Map<number, EtlBuffer>();
  #bytes = 0;

  add(index: number, buffer: EtlBuffer): void {
    this.#bytes += buffer.bytes.length;
    if (buffer.header.isCompressed && this.#bytes <= MAX_KEPT_BYTES) this.#buffers.set(index, buffer);
  }

  /** Returns the buffer, and no longer keeps it. */
  take(index: number): EtlBuffer | undefined {
    const buffer = this.#buffers.get(index);
    this.#buffers.delete(index);
    return buffer;
  }
}

/** Reads buffers at known positions, in any order. */
export class BufferFile {
  readonly #bytes: SeekableBytes;
  /** The most recent ones, by their number in the file. */
  readonly #spans = new Map<number, Uint8Array>();

  readonly #form: BufferForm;

  constructor(bytes: SeekableBytes, form: BufferForm) {
    this.#bytes = bytes;
    this.#form = form;
  }

  async read(position: number, size: number): Promise<EtlBuffer> {
    const number = Math.floor(position / SPAN_SIZE);
    const start = number * SPAN_SIZE;
    if (size >= SMALL_BUFFER_SIZE || position + size > start + SPAN_SIZE) {
      return openBuffer(await this.#bytes.read(position, size), position, this.#form);
    }
    let span = this.#spans.get(number);
    if (span === undefined) {
      span = await this.#bytes.read(start, SPAN_SIZE);
      this.#spans.set(number, span);
      const [oldest] = this.#spans.keys();
      if (this.#spans.size > MAX_SPANS && oldest !== undefined) this.#spans.delete(oldest);
    }
    return openBuffer(span.subarray(position - start, position - start + size), position, this.#form);
  }
}

/** Each is kept in the index. Sessions have buffers of at least 4 KB: this makes 16 GB. */
const MAX_BUFFERS = 4_000_000;

/**
 * All buffers in file order, read in larger chunks. The next one may overwrite the bytes of the previous one, unless it
 * was compressed: the memory for a large file would otherwise be freed only now and then.
 *
 * @throws TraceError if the next one cannot be located, because the previous one is damaged or the file ends inside it;
 * and if there are too many
 */
export async function* readBuffers(
  bytes: SeekableBytes,
  form: BufferForm,
  maxBuffers: number = MAX_BUFFERS,
): AsyncGenerator<EtlBuffer, void, undefined> {
  let left = maxBuffers;
  let chunk: Uint8Array = new Uint8Array(0);
  let chunkStart = 0;
  let memory: Uint8Array | undefined;
  const at = async (position: number, size: number): Promise<Uint8Array> => {
    const wanted = Math.min(size, bytes.size - position);
    if (position + wanted > chunkStart + chunk.length) {
      const length = Math.max(wanted, CHUNK_SIZE);
      if (memory === undefined || memory.length < length) memory = Buffer.allocUnsafeSlow(length);
      chunk = await bytes.read(position, length, memory);
      chunkStart = position;
    }
    return chunk.subarray(position - chunkStart, position - chunkStart + size);
  };

  for (let position = 0; position < bytes.size; ) {
    const head = await at(position, BUFFER_HEADER_SIZE);
    if (isBlankHeader(head)) return;
    if (left-- === 0) {
      throw new TraceError(
        'unsupported',
        position,
        `The file has more than ${maxBuffers} buffers, which is not supported.`,
      );
    }
    const { size } = readBufferHeader(viewOf(head), position, form);
    yield openBuffer(await at(position, size), position, form);
    position += size;
  }
}
