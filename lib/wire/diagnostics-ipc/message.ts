/** A message: a header and a payload. Requests and replies have the same framing. */
import { hexText, viewOf } from '../../base/bytes.ts';
import { HEADER_SIZE, MAX_MESSAGE_SIZE, MESSAGE_MAGIC } from './constants.ts';
import { DiagnosticsIpcError } from './error.ts';
import { MessageCursor } from './message-cursor.ts';
import { MessageWriter } from './message-writer.ts';

interface MessageHeader {
  /** The size of the whole message in bytes. */
  readonly size: number;
  readonly commandSet: number;
  readonly commandId: number;
}

/** A message whose payload has not been read yet. */
interface Message {
  readonly commandSet: number;
  readonly commandId: number;
  readonly payload: MessageCursor;
}

const MAGIC = Uint8Array.from(Buffer.from(MESSAGE_MAGIC, 'latin1'));
const SIZE_OFFSET = 14;
const COMMAND_SET_OFFSET = 16;
const COMMAND_ID_OFFSET = 17;

/**
 * The header of a message whose first bytes have arrived.
 *
 * @param bytes at least `HEADER_SIZE` of them; fewer count as a truncated message
 * @throws DiagnosticsIpcError
 */
export function readHeader(bytes: Uint8Array): MessageHeader {
  if (bytes.length < HEADER_SIZE) {
    throw new DiagnosticsIpcError(
      'malformed',
      bytes.length,
      `A message has at least ${HEADER_SIZE} bytes, not ${bytes.length}.`,
    );
  }
  if (MAGIC.some((byte, index) => byte !== bytes[index])) {
    const start = hexText(bytes.subarray(0, MAGIC.length), ' ');
    throw new DiagnosticsIpcError(
      'unknown-magic',
      0,
      `A message starts with "DOTNET_IPC_V1" and a NUL, not with ${start}.`,
    );
  }
  const view = viewOf(bytes);
  const size = view.getUint16(SIZE_OFFSET, true);
  if (size < HEADER_SIZE) {
    throw new DiagnosticsIpcError(
      'malformed',
      SIZE_OFFSET,
      `A message cannot have ${size} bytes, fewer than its header.`,
    );
  }
  return {
    size,
    commandSet: view.getUint8(COMMAND_SET_OFFSET),
    commandId: view.getUint8(COMMAND_ID_OFFSET),
  };
}

/**
 * A whole message. Bytes beyond the size in its header do not belong to it.
 *
 * @throws DiagnosticsIpcError
 */
export function readMessage(bytes: Uint8Array): Message {
  const { size, commandSet, commandId } = readHeader(bytes);
  if (size > bytes.length) {
    throw new DiagnosticsIpcError(
      'malformed',
      bytes.length,
      `The message ends after ${bytes.length} of its ${size} bytes.`,
    );
  }
  return { commandSet, commandId, payload: new MessageCursor(bytes.subarray(0, size), HEADER_SIZE) };
}

/**
 * @param writePayload writes what follows the header
 * @throws DiagnosticsIpcError if it does not fit into a message
 */
export function encodeMessage(
  commandSet: number,
  commandId: number,
  writePayload: (writer: MessageWriter) => void = () => {},
): Uint8Array {
  const writer = new MessageWriter();
  writer.bytes(MAGIC);
  // The size, once it is known.
  writer.uint16(0);
  writer.uint8(commandSet);
  writer.uint8(commandId);
  writer.uint16(0);
  writePayload(writer);
  const bytes = writer.copy();
  if (bytes.length > MAX_MESSAGE_SIZE) {
    throw new DiagnosticsIpcError(
      'too-long',
      MAX_MESSAGE_SIZE,
      `A message has at most ${MAX_MESSAGE_SIZE} bytes; this one would have ${bytes.length}.`,
    );
  }
  viewOf(bytes).setUint16(SIZE_OFFSET, bytes.length, true);
  return bytes;
}
