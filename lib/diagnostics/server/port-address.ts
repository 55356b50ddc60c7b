/** Where the diagnostic port of this process is, so that .NET's tools find it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PIPE_FOLDER, pipeName, socketName, startTimeKey } from '../../wire/diagnostics-ipc/port-name.ts';

/** Why there is no port where there was to be one; the message is a complete sentence. */
export class PortError extends Error {
  override readonly name = 'PortError';
}

/** What a path of a socket may have, without the NUL at its end: on Linux, and elsewhere. */
const MAX_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/** @param folder of the socket; Windows' pipes have only one */
export function ownAddress(folder: string): string {
  if (process.platform === 'win32') return PIPE_FOLDER + pipeName(process.pid);
  // The process may change its current folder.
  return resolve(folder, socketName(process.pid, processKey()));
}

/**
 * As it is to be listened at, or connected to.
 *
 * @param address a Unix socket's path, or a Windows pipe's name, bare or whole
 * @throws PortError where no socket can have it
 */
export function systemAddress(address: string): string {
  if (process.platform === 'win32') return address.startsWith('\\\\') ? address : PIPE_FOLDER + address;
  const path = resolve(address);
  const length = Buffer.byteLength(path);
  if (length <= MAX_SOCKET_PATH) return path;
  throw new PortError(
    `The path of a socket has ${MAX_SOCKET_PATH} bytes at most, and ${path} has ${length}; ` +
      'TMPDIR can name another folder.',
  );
}

/** Tells the process from earlier ones of the same id: when it started. */
function processKey(): string {
  if (process.platform !== 'linux') return String(Math.floor(performance.timeOrigin / 1000));
  try {
    return startTimeKey(readFileSync('/proc/self/stat', 'latin1'));
  } catch {
    // As the runtime has it where there is no /proc.
    return '0';
  }
}
