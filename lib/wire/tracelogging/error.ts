/**
 * Why the bytes of a TraceLogging event cannot be decoded.
 */

/** The part of the event: each has its own offsets. */
type TraceLoggingPart = 'traits' | 'metadata' | 'payload';

export class TraceLoggingError extends Error {
  override readonly name = 'TraceLoggingError';
  readonly part: TraceLoggingPart;
  /** The offset in that part. */
  readonly offset: number;

  /** @param message a complete sentence, without the position */
  constructor(part: TraceLoggingPart, offset: number, message: string) {
    super(`${message} (at byte ${offset} of the ${part})`);
    this.part = part;
    this.offset = offset;
  }
}
