/**
 * The sockets of ports whose processes were killed: whoever is ended by a signal, as services are, cannot take its
 * own away. So each process takes away what it finds of its user's when it opens its port.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../base/is-alive.ts';
import { systemCodeOf } from '../../base/system-code.ts';
import type { UnixSockets } from '../../platform/unix-socket.ts';
import { parsePortName } from '../../wire/diagnostics-ipc/port-name.ts';
import { isPrivateFolder, PRIVATE_SOCKET } from '../port-folders.ts';

/** A socket has its name a moment before somebody listens at it. */
const MIN_AGE_MS = 60_000;
/** So that opening a port takes no time, however many there are. */
const MOST_AT_ONCE = 100;

/** @param folder where ports have their sockets */
export function removeStalePorts(folder: string, sockets: UnixSockets): void {
  const paths = portNames(folder).map((name) => join(folder, name));
  for (const path of paths.slice(0, MOST_AT_ONCE)) {
    // A process of another container, which shares the folder, may live without an id that is known here.
    if (isOldAndOurs(path) && isStaleSocket(path, sockets)) unlinkQuietly(path);
  }
}

/**
 * The same of the ports that `tracewright` makes for commands of its own, with their folders.
 *
 * @param parent of the folders
 */
export function removeStaleFolders(parent: string, sockets: UnixSockets): void {
  const folders = namesIn(parent)
    .filter(isPrivateFolder)
    .map((name) => join(parent, name));
  for (const folder of folders.slice(0, MOST_AT_ONCE)) {
    // Whoever else could write to the folder could put something of ours there.
    if (!isPrivate(folder)) continue;
    const path = join(folder, PRIVATE_SOCKET);
    if (!isOldAndOurs(path) || !isStaleSocket(path, sockets)) continue;
    unlinkQuietly(path);
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it, which is not ours to take.
    }
  }
}

function portNames(folder: string): string[] {
  return namesIn(folder).filter((name) => {
    const port = parsePortName(name);
    return port?.key !== undefined && !isAlive(port.processId);
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isPrivate(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

function isOldAndOurs(path: string): boolean {
  try {
    const { uid, mtimeMs } = lstatSync(path);
    return uid === process.geteuid?.() && Date.now() - mtimeMs >= MIN_AGE_MS;
  } catch {
    return false;
  }
}

/** Whether a file is a socket that nobody listens at any more. */
export function isStaleSocket(path: string, sockets: UnixSockets): boolean {
  try {
    // Of another kind of file, connecting says the same.
    if (!lstatSync(path).isSocket()) return false;
    sockets.close(sockets.connect(path));
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ECONNREFUSED';
  }
}

/** Takes a file away that may be gone already. */
export function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else has taken it away, or it is not ours to take.
  }
}
