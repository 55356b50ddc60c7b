/** Where the bytes of a trace come from, whatever they are: a file, memory, a stream. */

export interface ByteSource {
  /** For messages: the file's path, or what else it is. */
  readonly name: string;
  /** In bytes, if known before all has been read. */
  readonly size: number | undefined;
  /**
   * All bytes from the start, in pieces of any size. A piece stays as it is when the next one is read. To be
   * called once, and not together with `seekable`.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** The same bytes at any position; a stream is first written to a temporary file. To be called once. */
  seekable(): Promise<SeekableBytes>;
}

export interface SeekableBytes {
  /** In bytes. */
  readonly size: number;
  /** `length` bytes from `offset`, fewer where the end comes before; bytes that nobody else writes to. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Closes the file. Does nothing when done before. */
  close(): Promise<void>;
}

/** A source that can show its first bytes before it is read. */
export interface OpenedSource extends ByteSource {
  /** The first bytes, at most `HEAD_SIZE`; fewer only where the source has no more. */
  readonly head: Uint8Array;
  /** Closes whatever the source holds open, also what `seekable` has opened. */
  close(): Promise<void>;
}

/** As many bytes as tell every format apart. */
export const HEAD_SIZE = 128;

/** Bytes that are read at a time. */
export const CHUNK_SIZE = 1 << 20;
