/** The buffers of an .etl file, one after the other, or one at a known place. */

import { viewOf } from '../../wire/bytes.ts';
import { type EtlBuffer, openBuffer } from '../../wire/etl/buffer.ts';
import { isBlankHeader, readBufferHeader } from '../../wire/etl/buffer-header.ts';
import { BUFFER_HEADER_SIZE } from '../../wire/etl/constants.ts';
import { CHUNK_SIZE, type SeekableBytes } from '../byte-source.ts';

/** Reads a buffer by itself, so that it can be dropped by itself. */
export async function readBuffer(bytes: SeekableBytes, position: number, size: number): Promise<EtlBuffer> {
  return openBuffer(await bytes.read(position, size), position);
}

/**
 * All buffers in the file's order, read in larger pieces.
 *
 * @throws EtlError where the next one cannot be found, as the one before is damaged or the file ends inside it
 */
export async function* readBuffers(bytes: SeekableBytes): AsyncGenerator<EtlBuffer, void, undefined> {
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
    const { size } = readBufferHeader(viewOf(head), position);
    yield openBuffer(await at(position, size), position);
    position += size;
  }
}
