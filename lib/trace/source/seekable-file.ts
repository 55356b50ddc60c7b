/** The bytes of a file at any position. */
import type { FileHandle } from 'node:fs/promises';
import type { SeekableBytes } from '../byte-source.ts';

export function seekableFile(handle: FileHandle, size: number): SeekableBytes {
  let isOpen = true;
  return {
    size,
    read: (offset, length, into) =>
      readFully(handle, offset, Math.min(length, Math.max(0, size - offset)), into),
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
    },
  };
}

async function readFully(
  handle: FileHandle,
  offset: number,
  length: number,
  into?: Uint8Array,
): Promise<Uint8Array> {
  const buffer = into !== undefined && into.length >= length ? into : Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
