/** Where the bytes of a session go. */
export interface SessionOutput {
  /** Bytes that were taken and have not gone out. */
  readonly pendingBytes: number;
  /** Bytes that have gone out. */
  readonly writtenBytes: number;
  /**
   * Takes the next bytes. Where it throws, because the stack or the memory ends, it may have taken them or not: it is
   * given the same array again, and takes it once.
   */
  write(bytes: Uint8Array): void;
  /** Resolves when everything has gone out, or nothing more can; never rejects. */
  end(): Promise<void>;
}

/** Told once, with a sentence, when nothing more can go out. */
export type OnOutputFailed = (problem: string) => void;
