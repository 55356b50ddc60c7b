/** Why a process's diagnostic port does not fulfil a request. */
import { ErrorCode } from '../../wire/diagnostics-ipc/constants.ts';
import { errorCodeText, type Reply } from '../../wire/diagnostics-ipc/reply.ts';

/**
 * - `no-process`: the process does not exist
 * - `no-port`: the process has no diagnostic port
 * - `not-permitted`: the system does not let this user look for the port, or open it
 * - `unsupported`: the process's runtime is too old for the request, or does not support it
 * - `refused`: the process replied with an error
 * - `ended`: the process closed the connection, most likely because it exited
 * - `timeout`: the process does not answer
 * - `malformed`: its answer violates the protocol
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

/**
 * @param process its name in messages: `Process 4711`
 * @param command with its version, such as `ProcessInfo3`
 */
export function refusal(
  process: string,
  command: string,
  { code, message }: Extract<Reply, { readonly isOk: false }>,
): DiagnosticsClientError {
  if (code === ErrorCode.UnknownCommand) {
    return new DiagnosticsClientError(
      'unsupported',
      `${process} does not support ${command}: its runtime is too old.`,
    );
  }
  const detail = message === undefined || message === '' ? '' : `: ${message}`;
  return new DiagnosticsClientError(
    'refused',
    `${process} refused ${command} with ${errorCodeText(code)}${detail}.`,
    { replyCode: code },
  );
}
