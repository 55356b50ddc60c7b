/** What it means that a process replies with an error. */
import { ErrorCode } from '../../wire/diagnostics-ipc/constants.ts';
import { errorCodeText, type Reply } from '../../wire/diagnostics-ipc/reply.ts';
import { DiagnosticsClientError } from './client-error.ts';

/**
 * @param process as messages name it: `Process 4711`
 * @param command with its version, as `ProcessInfo3`
 */
export function refusal(
  process: string,
  command: string,
  { code, message }: Extract<Reply, { readonly isOk: false }>,
): DiagnosticsClientError {
  if (code === ErrorCode.UnknownCommand) {
    return new DiagnosticsClientError(
      'unsupported',
      `${process} does not know ${command}: its runtime is too old.`,
    );
  }
  const detail = message === undefined || message === '' ? '' : `: ${message}`;
  return new DiagnosticsClientError(
    'refused',
    `${process} refused ${command} with ${errorCodeText(code)}${detail}.`,
    { replyCode: code },
  );
}
