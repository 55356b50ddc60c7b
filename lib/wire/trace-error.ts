/** Why a trace cannot be read, or not to its end. */

/**
 * - `unrecognized`: another format
 * - `unsupported`: a feature that is not supported
 * - `truncated`: the bytes end early
 * - `malformed`: the bytes are damaged
 */
export type TraceErrorCode = 'unrecognized' | 'unsupported' | 'truncated' | 'malformed';

export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code: TraceErrorCode;
  /** Where in the trace, in bytes from its start. */
  readonly offset: number;
  /** The message without the offset. */
  readonly sentence: string;

  /** @param sentence complete, without the offset */
  constructor(code: TraceErrorCode, offset: number, sentence: string, options?: ErrorOptions) {
    super(`${sentence} (at byte ${offset})`, options);
    this.code = code;
    this.offset = offset;
    this.sentence = sentence;
  }
}
