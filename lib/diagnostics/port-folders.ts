/**
 * Where ports have their sockets, and the names of those that `tracewright` makes for one command of its own. By these
 * a process knows that nobody will listen there again, once nobody does: the port was there before the process, and
 * ended with the tool.
 */
import { basename, dirname } from 'node:path';

/** What `mkdtemp` makes a folder's name of, for this user alone. */
export const PRIVATE_FOLDER_PREFIX = 'tracewright-';
/** Of the socket in the folder. */
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

/** @param address a Unix socket's path, or a Windows pipe's whole name */
export function isPrivatePort(address: string): boolean {
  if (process.platform === 'win32') return PIPE.test(address);
  return basename(address) === PRIVATE_SOCKET && isPrivateFolder(basename(dirname(address)));
}

/** Where a process's sockets are, and tools look for them: .NET's runtime and its tools know no other variable. */
export function temporaryFolder(): string {
  return process.env.TMPDIR || '/tmp';
}
