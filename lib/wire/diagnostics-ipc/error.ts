/** Why a message cannot be read or created, and why a request is refused. */
import { ErrorCode } from './constants.ts';

/**
 * - `malformed`: the message's bytes are invalid for its command
 * - `unknown-magic`: not a message of this protocol
 * - `unknown-command`: a command of this protocol that is not supported
 * - `too-long`: the content does not fit into a message
 * - `inexpressible`: the command's version cannot express the content
 */
type DiagnosticsIpcErrorCode =
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

  /** The code of the error reply to the message. */
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

/** A request that is understood, but refused. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** One of `ErrorCode`, for the client. */
  readonly replyCode: number;

  /** @param message a complete sentence */
  constructor(replyCode: number, message: string) {
    super(message);
    this.replyCode = replyCode;
  }
}
