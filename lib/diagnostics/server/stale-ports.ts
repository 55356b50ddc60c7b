/**
 * Sockets of ports whose processes were killed: a process ended by a signal, as services are, cannot remove its own. So
 * each process removes those of its user when it opens its port.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../base/is-alive.ts';
import { systemCodeOf } from '../../base/system-code.ts';
import type { UnixSockets } from '../../platform/unix-socket.ts';
import { parsePortName } from '../../wire/diagnostics-ipc/port-name.ts';
import { isPrivateFolder, PRIVATE_SOCKET } from '../port-folders.ts';

/** A socket has its name slightly before anything listens on it. */
const MIN_AGE_MS = 60_000;
/** A limit, so that opening a port is fast however many there are. */
const MOST_AT_ONCE = 100;

/** @param folder that contains the sockets of ports */
export function removeStalePorts(folder: string, sockets: UnixSockets): void {
  const paths = portNames(folder).map((name) => join(folder, name));
  for (const path of paths.slice(0, MOST_AT_ONCE)) {
    // A process of another container that shares the folder may be alive although its id is unknown here.
    if (isOldAndOurs(path) && isStaleSocket(path, sockets)) unlinkQuietly(path);
  }
}

/**
 * Removes stale ports that `tracewright` created for its own commands, with their folders.
 *
 * @param parent of the folders
 */
export function removeStaleFolders(parent: string, sockets: UnixSockets): void {
  const folders = namesIn(parent)
    .filter(isPrivateFolder)
    .map((name) => join(parent, name));
  for (const folder of folders.slice(0, MOST_AT_ONCE)) {
    // Anyone else who could write to the folder could plant one of our files there.
    if (!isPrivate(folder)) continue;
    const path = join(folder, PRIVATE_SOCKET);
    if (!isOldAndOurs(path) || !isStaleSocket(path, sockets)) continue;
    unlinkQuietly(path);
    try {
      rmdirSync(folder);
    } catch {
      // It contains something else, which is not ours to remove.
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

/** Whether a file is a socket on which nothing listens any more. */
export function isStaleSocket(path: string, sockets: UnixSockets): boolean {
  try {
    // Connecting returns the same error for other kinds of files.
    if (!lstatSync(path).isSocket()) return false;
    sockets.connect(path).close();
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ECONNREFUSED';
  }
}

/** Removes a file that may have gone already. */
export function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Someone else has removed it, or it is not ours to remove.
  }
}
