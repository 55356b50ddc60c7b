/**
 * Why the bytes of a TraceLogging event cannot be decoded.
 */

/** Which bytes: each has offsets of its own. */
export type TraceLoggingPart = 'traits' | 'metadata' | 'payload';

export class TraceLoggingError extends Error {
  override readonly name = 'TraceLoggingError';
  readonly part: TraceLoggingPart;
  /** Where in the part's bytes. */
  readonly offset: number;

  /** @param message a complete sentence, without the place */
  constructor(part: TraceLoggingPart, offset: number, message: string) {
    super(`${message} (at byte ${offset} of the ${part})`);
    this.part = part;
    this.offset = offset;
  }
}
