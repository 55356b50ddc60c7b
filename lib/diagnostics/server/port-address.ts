/** The address of this process's diagnostic port, at which .NET's tools find it. */
import { readFileSync, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { PIPE_FOLDER, pipeName, portKey, socketName } from '../../wire/diagnostics-ipc/port-name.ts';

/** Why a requested port does not exist; the message is a complete sentence. */
export class PortError extends Error {
  override readonly name = 'PortError';
}

/** The maximum length of a socket path, without the final NUL: on Linux, and elsewhere. */
const MAX_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/** @param folder of the socket; Windows has only one for pipes */
export function ownAddress(folder: string): string {
  if (process.platform === 'win32') return PIPE_FOLDER + pipeName(process.pid);
  // The process may change its current folder.
  return resolve(folder, socketName(process.pid, processKey()));
}

/**
 * Returns the form that listening and connecting take.
 *
 * @param address the path of a Unix socket, or the short or full name of a Windows pipe
 * @throws PortError if it cannot be the address of a socket
 */
export function systemAddress(address: string): string {
  if (process.platform === 'win32') return address.startsWith('\\\\') ? address : PIPE_FOLDER + address;
  const path = resolve(address);
  const length = Buffer.byteLength(path);
  if (length <= MAX_SOCKET_PATH) return path;
  throw new PortError(
    `The path of a socket can have at most ${MAX_SOCKET_PATH} bytes, but ${path} has ${length}; ` +
      'TMPDIR can name another folder.',
  );
}

/** Distinguishes the process from earlier ones with the same id, and from those of other containers. */
function processKey(): string {
  if (process.platform !== 'linux') return String(Math.floor(performance.timeOrigin / 1000));
  try {
    return portKey(readFileSync('/proc/self/stat', 'latin1'), readlinkSync('/proc/self/ns/pid'));
  } catch {
    // Like the runtime if there is no /proc.
    return '0';
  }
}
