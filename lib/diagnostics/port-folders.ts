/**
 * Where ports have their sockets, and the names of ports that `tracewright` creates for one command. From these a
 * process knows that if nothing listens there, nothing ever will again: the port existed before the process, and ended
 * with the tool.
 */
import { basename, dirname } from 'node:path';

/** The prefix from which `mkdtemp` creates a folder accessible only to this user. */
export const PRIVATE_FOLDER_PREFIX = 'tracewright-';
/** The name of the socket in the folder. */
export const PRIVATE_SOCKET = 'port';

const FOLDER = /^tracewright-\w{6}$/;
const PIPE = /^\\\\.*\\tracewright-\d+-[0-9a-f]{16}$/;

export function isPrivateFolder(name: string): boolean {
  return FOLDER.test(name);
}

/** @param randomBytes in hex, 16 digits */
export function privatePipe(processId: number, randomBytes: string): string {
  return `${PRIVATE_FOLDER_PREFIX}${processId}-${randomBytes}`;
}

/** @param address the path of a Unix socket, or the full name of a Windows pipe */
export function isPrivatePort(address: string): boolean {
  if (process.platform === 'win32') return PIPE.test(address);
  return basename(address) === PRIVATE_SOCKET && isPrivateFolder(basename(dirname(address)));
}

/** Processes have their sockets here, and tools look for them here: .NET's runtime and tools know no other variable. */
export function temporaryFolder(): string {
  return process.env.TMPDIR || '/tmp';
}
