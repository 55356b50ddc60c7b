/** Why a trace cannot be read, or not to its end. */

/**
 * - `unrecognized`: of no format that is read here
 * - `unsupported`: of a known format, with something in it that is not read here
 * - `truncated`: it ends before its end
 * - `malformed`: it is damaged
 */
export type TraceErrorCode = 'unrecognized' | 'unsupported' | 'truncated' | 'malformed';

export class TraceError extends Error {
  override readonly name = 'TraceError';
  readonly code: TraceErrorCode;
  /** Where in the trace, in bytes from its start. */
  readonly offset: number;

  /** @param message a complete sentence, without the offset */
  constructor(code: TraceErrorCode, offset: number, message: string, options?: ErrorOptions) {
    super(`${message} (at byte ${offset})`, options);
    this.code = code;
    this.offset = offset;
  }
}
