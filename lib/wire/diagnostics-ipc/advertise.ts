/** How a process identifies itself when it connects to a tool, instead of the other way round. */
import { viewOf } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import { DiagnosticsIpcError } from './error.ts';
import { MessageWriter } from './message-writer.ts';

const MAGIC = Uint8Array.from(Buffer.from('ADVR_V1\0', 'latin1'));
const COOKIE_OFFSET = 8;
const PROCESS_ID_OFFSET = 24;

/** Total size in bytes; the last two are 0. */
export const ADVERTISE_SIZE = 34;

interface Advertise {
  /** The `runtimeCookie` of the process's `ProcessInfo`. */
  readonly runtimeCookie: string;
  /** The id in the process's own namespace. */
  readonly processId: bigint;
}

export function encodeAdvertise({ runtimeCookie, processId }: Advertise): Uint8Array {
  const writer = new MessageWriter();
  writer.bytes(MAGIC);
  writer.guid(runtimeCookie);
  writer.uint64(processId);
  writer.uint16(0);
  return writer.copy();
}

/**
 * @param bytes `ADVERTISE_SIZE` of them
 * @throws DiagnosticsIpcError
 */
export function decodeAdvertise(bytes: Uint8Array): Advertise {
  if (bytes.length < ADVERTISE_SIZE) {
    throw new DiagnosticsIpcError(
      'malformed',
      bytes.length,
      `A process's first message has ${ADVERTISE_SIZE} bytes, not ${bytes.length}.`,
    );
  }
  if (MAGIC.some((byte, index) => byte !== bytes[index])) {
    throw new DiagnosticsIpcError(
      'unknown-magic',
      0,
      'The first message of a process starts with "ADVR_V1" and a NUL.',
    );
  }
  return {
    runtimeCookie: guidText(bytes, COOKIE_OFFSET),
    processId: viewOf(bytes).getBigUint64(PROCESS_ID_OFFSET, true),
  };
}
