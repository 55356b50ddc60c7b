/** The reply to ProcessEnvironment, and the variables that follow it, outside any message. */
import { CommandSet, ServerReply } from './constants.ts';
import { encodeMessage } from './message.ts';
import { MessageWriter } from './message-writer.ts';

/**
 * The reply, and the variables that follow it on the connection.
 *
 * @param variables each as `NAME=value`
 */
export function encodeEnvironment(variables: readonly string[]): Uint8Array {
  const writer = new MessageWriter();
  writer.array(variables, (variable) => writer.text(variable));
  const body = writer.copy();
  const reply = encodeMessage(CommandSet.Server, ServerReply.Ok, (head) => {
    head.uint32(body.length);
    head.uint16(0);
  });
  return Buffer.concat([reply, body]);
}
