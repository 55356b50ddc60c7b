/** Why a message cannot be read, or cannot be made. */
import { ErrorCode } from './constants.ts';

/**
 * - `malformed`: the message's bytes are not what its command takes
 * - `unknown-magic`: no message of this protocol
 * - `unknown-command`: of this protocol, but not known here
 * - `too-long`: what is to be said does not fit a message
 * - `inexpressible`: the command's version has no place for what is to be said
 */
export type DiagnosticsIpcErrorCode =
  | 'malformed'
  | 'unknown-magic'
  | 'unknown-command'
  | 'too-long'
  | 'inexpressible';

export class DiagnosticsIpcError extends Error {
  override readonly name = 'DiagnosticsIpcError';
  readonly code: DiagnosticsIpcErrorCode;
  /** Where in the message, in bytes from its start. */
  readonly offset: number;

  /** @param reason a complete sentence, without the offset */
  constructor(code: DiagnosticsIpcErrorCode, offset: number, reason: string) {
    super(`${reason} (at byte ${offset})`);
    this.code = code;
    this.offset = offset;
  }

  /** What an error reply to the message says. */
  get replyCode(): number {
    switch (this.code) {
      case 'unknown-magic':
        return ErrorCode.UnknownMagic;
      case 'unknown-command':
        return ErrorCode.UnknownCommand;
      default:
        return ErrorCode.BadEncoding;
    }
  }
}
