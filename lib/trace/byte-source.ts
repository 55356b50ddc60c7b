/** Where the bytes of a trace come from: a file, memory, a stream. */

export interface ByteSource {
  /** Messages contain this name: the file's path, or a description. */
  readonly name: string;
  /** The size in bytes, if known before everything has been read. */
  readonly size: number | undefined;
  /**
   * All bytes from the start, in chunks of any size. A chunk does not change when the next one is read. Call it once,
   * and not together with `seekable`.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** Returns the same bytes at any position; a stream is first written to a temporary file. Call it once. */
  seekable(): Promise<SeekableBytes>;
}

export interface SeekableBytes {
  /** The size is in bytes. */
  readonly size: number;
  /**
   * `length` bytes from `offset`, fewer at the end; the caller owns the bytes.
   *
   * @param into memory that they may be put into, if there is room
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /** Closes the file. Has no effect the second time. */
  close(): Promise<void>;
}

/** A source whose first bytes can be examined before it is read. */
export interface OpenedSource extends ByteSource {
  /** The first bytes, at most `HEAD_SIZE`; fewer only if the source has no more. */
  readonly head: Uint8Array;
  /** Closes everything the source holds open, including what `seekable` has opened. */
  close(): Promise<void>;
}

/** So many bytes distinguish all formats. */
export const HEAD_SIZE = 160;

/** Bytes per read. */
export const CHUNK_SIZE = 1 << 20;

/** All bytes from the start. */
export async function* chunksOf(bytes: SeekableBytes): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < bytes.size; offset += CHUNK_SIZE) {
    const chunk = await bytes.read(offset, CHUNK_SIZE);
    if (chunk.length === 0) return; // The file has become shorter.
    yield chunk;
  }
}
