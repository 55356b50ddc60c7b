/** Why a nettrace cannot be read, or not to its end. */

/**
 * - `truncated`: it ends before its end
 * - `malformed`: it is damaged
 * - `unsupported`: of a version, or with sizes, that are not read here
 */
export type NetTraceErrorCode = 'truncated' | 'malformed' | 'unsupported';

export class NetTraceError extends Error {
  override readonly name = 'NetTraceError';
  readonly code: NetTraceErrorCode;
  /** Where in the trace, in bytes from its start. */
  readonly offset: number;
  /** The message without the offset. */
  readonly reason: string;

  /** @param reason a complete sentence, without the offset */
  constructor(code: NetTraceErrorCode, offset: number, reason: string) {
    super(`${reason} (at byte ${offset})`);
    this.code = code;
    this.offset = offset;
    this.reason = reason;
  }
}
