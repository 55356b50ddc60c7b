/**
 * A trace compressed with Zstandard (RFC 8878). Always by the library fzstd: Node's own decompressor ends at the end of
 * the first frame, and silently where its input is cut off.
 */
import type { OpenedSource } from '../byte-source.ts';
import { damagedArchive } from './gzip.ts';
import { openStream } from './stream-source.ts';

/** The first bytes of a frame. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const REMEDY = 'decompress it to a file yourself, and open that';

export function isZstd(head: Uint8Array): boolean {
  return MAGIC.every((byte, at) => head[at] === byte);
}

/** The contents. A damaged archive results in a TraceError after the bytes before the damage. */
export function openZstd(source: OpenedSource): Promise<OpenedSource> {
  return openStream(unpacked(source), source.name, () => source.close());
}

async function* unpacked(source: OpenedSource): AsyncGenerator<Uint8Array> {
  const { openZstdBlocks } = await import('./zstd-blocks.ts');
  const blocks = await openZstdBlocks(REMEDY);
  let length = 0;
  try {
    for await (const piece of source.chunks()) {
      for (const chunk of blocks.unpack(piece)) {
        length += chunk.length;
        yield chunk;
      }
    }
    if (!blocks.isComplete) throw new Error('unexpected end of file');
  } catch (error) {
    throw damagedArchive('Zstandard', source.name, length, error);
  }
}
