/** Why a process's diagnostic port does not do what it was asked. */

/**
 * - `no-process`: there is no such process
 * - `no-port`: the process has no diagnostic port
 * - `not-permitted`: the system does not let this user look for the port, or open it
 * - `unsupported`: the process's runtime is too old for what was asked, or cannot do it
 * - `refused`: the process replied with an error
 * - `ended`: the process has closed the connection, most likely because it has ended
 * - `timeout`: the process does not answer
 * - `malformed`: what it answers is not of the protocol
 * - `failed`: the system refused something else
 */
export type DiagnosticsClientErrorCode =
  | 'no-process'
  | 'no-port'
  | 'not-permitted'
  | 'unsupported'
  | 'refused'
  | 'ended'
  | 'timeout'
  | 'malformed'
  | 'failed';

export class DiagnosticsClientError extends Error {
  override readonly name = 'DiagnosticsClientError';
  readonly code: DiagnosticsClientErrorCode;
  /** The HRESULT of an error reply. */
  readonly replyCode: number | undefined;

  /** @param message a complete sentence */
  constructor(
    code: DiagnosticsClientErrorCode,
    message: string,
    options: ErrorOptions & { readonly replyCode?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.replyCode = options.replyCode;
  }
}
