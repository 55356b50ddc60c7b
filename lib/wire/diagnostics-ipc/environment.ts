/** The reply to ProcessEnvironment, and the variables that stand behind it, outside any message. */
import { CommandSet, ServerReply } from './constants.ts';
import { DiagnosticsIpcError } from './error.ts';
import { encodeMessage } from './message.ts';
import { MessageCursor } from './message-cursor.ts';
import { MessageWriter } from './message-writer.ts';

/** Of a variable in bytes: the length of its text. */
const LEAST_VARIABLE_SIZE = 4;
/** No system lets an environment be larger. */
const MAX_ENVIRONMENT_SIZE = 64 << 20;

/**
 * The reply, and the variables that follow it on the connection.
 *
 * @param variables each as `NAME=value`
 */
export function encodeEnvironment(variables: readonly string[]): Uint8Array {
  const writer = new MessageWriter();
  writer.array(variables, (variable) => writer.text(variable));
  const body = writer.finish();
  const reply = encodeMessage(CommandSet.Server, ServerReply.Ok, (head) => {
    head.uint32(body.length);
    head.uint16(0);
  });
  return Buffer.concat([reply, body]);
}

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
  throw new DiagnosticsIpcError(
    'malformed',
    cursor.offset,
    `${cursor.left} bytes stand behind the last variable.`,
  );
}
