/**
 * The sockets of ports whose processes were killed: whoever is ended by a signal, as services are, cannot take its
 * own away. So each process takes away what it finds of its user's when it opens its port.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UnixSockets } from '../../../platform/unix-socket.ts';
import { parsePortName } from '../../../wire/diagnostics-ipc/port-name.ts';
import { isAlive } from '../is-alive.ts';
import { isLeftBehind } from './left-behind.ts';
import { unlinkQuietly } from './unlink-quietly.ts';

/** A socket has its name a moment before somebody listens at it. */
const MIN_AGE_MS = 60_000;
/** So that opening a port takes no time, however many there are. */
const MOST_AT_ONCE = 100;

/** @param folder where ports have their sockets */
export function removeForsakenPorts(folder: string, sockets: UnixSockets): void {
  const paths = portNames(folder).map((name) => join(folder, name));
  for (const path of paths.slice(0, MOST_AT_ONCE)) {
    // A process of another container, which shares the folder, may live without an id that is known here.
    if (isOldAndOurs(path) && isLeftBehind(path, sockets)) unlinkQuietly(path);
  }
}

function portNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => {
      const port = parsePortName(name);
      return port?.key !== undefined && !isAlive(port.processId);
    });
  } catch {
    return [];
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
