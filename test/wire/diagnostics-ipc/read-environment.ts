/** Reads the reply to ProcessEnvironment, as a client does. */
import { DiagnosticsIpcError } from '../../../lib/wire/diagnostics-ipc/error.ts';
import { MessageCursor } from '../../../lib/wire/diagnostics-ipc/message-cursor.ts';

/** Of a variable in bytes: the length of its text. */
const LEAST_VARIABLE_SIZE = 4;
/** No system lets an environment be larger. */
const MAX_ENVIRONMENT_SIZE = 64 << 20;

/**
 * How many bytes follow the reply.
 *
 * @throws DiagnosticsIpcError
 */
export function readEnvironmentSize(payload: MessageCursor): number {
  const at = payload.offset;
  const size = payload.uint32();
  payload.uint16();
  if (size > MAX_ENVIRONMENT_SIZE) payload.fail(`An environment cannot have ${size} bytes.`, at);
  return size;
}

/**
 * @param bytes all that followed the reply
 * @throws DiagnosticsIpcError
 */
export function decodeEnvironment(bytes: Uint8Array): string[] {
  const cursor = new MessageCursor(bytes);
  const variables = cursor.array('variables', LEAST_VARIABLE_SIZE, () => cursor.text() ?? '');
  if (cursor.left === 0) return variables;
  throw new DiagnosticsIpcError('malformed', cursor.offset, `${cursor.left} bytes follow the last variable.`);
}
