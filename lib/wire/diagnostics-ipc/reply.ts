/** What a process replies to a request, as bytes and back. */
import { CommandSet, ErrorCode, ServerReply } from './constants.ts';
import { DiagnosticsIpcError } from './error.ts';
import { encodeMessage, readMessage } from './message.ts';
import type { MessageCursor } from './message-cursor.ts';
import { type ProcessInfo, type ProcessInfoVersion, writeProcessInfo } from './process-info.ts';

/** A reply whose payload, by the request, is still to be read. */
export type Reply =
  | { readonly isOk: true; readonly payload: MessageCursor }
  /** `message`: of a dump that failed. */
  | { readonly isOk: false; readonly code: number; readonly message: string | undefined };

const ERROR_NAMES = new Map<number, string>(Object.entries(ErrorCode).map(([name, code]) => [code, name]));
const COMMAND_SET_OFFSET = 16;

/**
 * Done, with nothing to tell: 24 bytes, of which the last 4 are the HRESULT 0. The protocol's document has replies
 * without it, but .NET's runtime sends it, and clients read as many bytes.
 */
export function encodeOk(): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Ok, (writer) => writer.uint32(0));
}

/** The reply to CollectTracing, behind which the stream begins, and to StopTracing. */
export function encodeSessionReply(sessionId: bigint): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Ok, (writer) => writer.uint64(sessionId));
}

/** @throws DiagnosticsIpcError where it does not fit a message */
export function encodeProcessInfoReply(version: ProcessInfoVersion, info: ProcessInfo): Uint8Array {
  return encodeMessage(CommandSet.Server, ServerReply.Ok, (writer) =>
    writeProcessInfo(writer, version, info),
  );
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
    `A reply is of the command set 255 and 0 or 255 in it, not ${commandId} of ${commandSet}.`,
  );
}

/** An HRESULT as people know it: `0x80131385 (UnknownCommand)`. */
export function errorCodeText(code: number): string {
  const hex = `0x${code.toString(16).padStart(8, '0')}`;
  const name = ERROR_NAMES.get(code);
  return name === undefined ? hex : `${hex} (${name})`;
}
