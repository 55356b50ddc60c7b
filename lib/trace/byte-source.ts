/** Where the bytes of a trace come from, whatever they are: a file, memory, a stream. */

export interface ByteSource {
  /** For messages: the file's path, or what else it is. */
  readonly name: string;
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
  /** Closes the file; deletes it if it is a temporary one. */
  close(): Promise<void>;
}
