/** The replies of a process to a request, as bytes and back. */
import { CommandSet, ErrorCode, ServerReply } from './constants.ts';
import { DiagnosticsIpcError } from './error.ts';
import { encodeMessage, readMessage } from './message.ts';
import type { MessageCursor } from './message-cursor.ts';
import { MessageWriter } from './message-writer.ts';
import { type ProcessInfo, type ProcessInfoVersion, writeProcessInfo } from './process-info.ts';

/** A reply whose payload depends on the request, and has not been read yet. */
export type Reply =
  | { readonly isOk: true; readonly payload: MessageCursor }
  /** `message`: for a dump that failed. */
  | { readonly isOk: false; readonly code: number; readonly message: string | undefined };

const ERROR_NAMES = new Map<number, string>(Object.entries(ErrorCode).map(([name, code]) => [code, name]));
const COMMAND_SET_OFFSET = 16;

/**
 * Success, with no content: 24 bytes, of which the last 4 are the HRESULT 0. The protocol's specification omits it, but
 * .NET's runtime sends it and clients read that many bytes.
 */
export function encodeOk(): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Ok, (writer) => writer.uint32(0));
}

/** The reply to CollectTracing, after which the stream begins, and to StopTracing. */
export function encodeSessionReply(sessionId: bigint): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Ok, (writer) => writer.uint64(sessionId));
}

/** @throws DiagnosticsIpcError if it does not fit into a message */
export function encodeProcessInfoReply(version: ProcessInfoVersion, info: ProcessInfo): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Ok, (writer) =>
    writeProcessInfo(writer, version, info),
  );
}

/**
 * The reply to ProcessEnvironment, and the variables that follow it on the connection, outside any message.
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

/** @param code one of `ErrorCode`, or another HRESULT */
export function encodeError(code: number, message?: string): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Error, (writer) => {
    writer.uint32(code >>> 0);
    if (message !== undefined) writer.text(message);
  });
}

/**
 * @param bytes a whole message
 * @throws DiagnosticsIpcError
 */
export function decodeReply(bytes: Uint8Array): Reply {
  const { commandSet, commandId, payload } = readMessage(bytes);
  if (commandSet === CommandSet.Server && commandId === ServerReply.Ok) return { isOk: true, payload };
  if (commandSet === CommandSet.Server && commandId === ServerReply.Error) {
    const code = payload.uint32();
    return { isOk: false, code, message: payload.left > 0 ? payload.text() : undefined };
  }
  throw new DiagnosticsIpcError(
    'malformed',
    COMMAND_SET_OFFSET,
    `A reply has command set 255 and command 0 or 255, not ${commandId} of ${commandSet}.`,
  );
}

/** An HRESULT for people: `0x80131385 (UnknownCommand)`. */
export function errorCodeText(code: number): string {
  const hex = `0x${code.toString(16).padStart(8, '0')}`;
  const name = ERROR_NAMES.get(code);
  return name === undefined ? hex : `${hex} (${name})`;
}
