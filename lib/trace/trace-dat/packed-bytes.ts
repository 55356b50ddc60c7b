/** The bytes of a file with compressed parts. */

import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { viewOf } from '../../base/bytes.ts';
import { thrownMessage } from '../../base/value-text.ts';
import type { ReadRequest } from '../../wire/trace-dat/head.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { SeekableBytes } from '../byte-source.ts';
import { RecordUnpacker } from '../source/zstd-records.ts';

const inflated = promisify(inflate);

export class PackedBytes {
  readonly #bytes: SeekableBytes;

  constructor(bytes: SeekableBytes) {
    this.#bytes = bytes;
  }

  /**
   * A part of the file, decompressed; fewer bytes at the end of the file.
   * @throws TraceError
   */
  async read({ start, end, compression = 'none', unpackedSize = 0 }: ReadRequest): Promise<Uint8Array> {
    const bytes = await this.#bytes.read(start, Math.max(0, Math.min(end, this.#bytes.size) - start));
    if (compression === 'none') return bytes;
    const unpacked = await (compression === 'zlib' ? inflatedBytes : unzstdBytes)(bytes, start, unpackedSize);
    if (unpacked.length === unpackedSize) return unpacked;
    const sizes = `${unpackedSize} bytes, and has ${unpacked.length}`;
    throw new TraceError('malformed', start, `A compressed part should have ${sizes}.`);
  }

  /** u32 after u32. */
  async words(start: number, size: number): Promise<number[]> {
    const bytes = await this.read({ start, end: start + size });
    if (bytes.length < size) {
      throw new TraceError('truncated', start + bytes.length, 'The file ends inside its events.');
    }
    const view = viewOf(bytes);
    return Array.from({ length: size / 4 }, (_, index) => view.getUint32(4 * index, true));
  }
}

async function inflatedBytes(bytes: Uint8Array, start: number, size: number): Promise<Uint8Array> {
  try {
    return await inflated(bytes, { maxOutputLength: size });
  } catch (error) {
    const reason = thrownMessage(error);
    throw new TraceError('malformed', start, `A compressed part cannot be decompressed: ${reason}.`);
  }
}

async function unzstdBytes(bytes: Uint8Array, start: number, size: number): Promise<Uint8Array> {
  const unpacker = new RecordUnpacker();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of unpacker.unpack(bytes, start)) {
      length += chunk.length;
      chunks.push(chunk);
      if (length > size) break;
    }
  } finally {
    unpacker.close();
  }
  return Buffer.concat(chunks);
}
