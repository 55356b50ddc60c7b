/**
 * A diagnostic port known only to one command of ours: in a folder that only this user can access, removed when we
 * exit.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removeAtExit, removeFolder, removeNow } from '../../base/temporaries.ts';
import { PRIVATE_FOLDER_PREFIX, PRIVATE_SOCKET, privatePipe } from '../../diagnostics/port-folders.ts';
import { removeStaleFolders } from '../../diagnostics/server/stale-ports.ts';
import { unixSockets } from '../../platform/unix-socket.ts';
import { removeAtSignals } from '../stop-request.ts';

/** The longest socket path that the strictest system allows, with room for the names below. */
const MAX_FOLDER_LENGTH = 70;
/** These have a meaning in the variable that holds the address. */
const SEPARATORS = /[,;]/;

export class PrivatePort {
  /** The path of a Unix socket, or the name of a Windows pipe. */
  readonly address: string;
  readonly #folder: string | undefined;
  #release = (): void => {};

  constructor() {
    if (process.platform === 'win32') {
      // Windows removes pipes itself.
      this.address = privatePipe(process.pid, randomBytes(8).toString('hex'));
      return;
    }
    const parent = parentFolder();
    const sockets = unixSockets();
    if (sockets !== undefined) removeStaleFolders(parent, sockets);
    this.#folder = mkdtempSync(join(parent, PRIVATE_FOLDER_PREFIX));
    this.address = join(this.#folder, PRIVATE_SOCKET);
    removeAtExit(this.#folder, removeFolder);
    this.#release = removeAtSignals();
  }

  close(): void {
    if (this.#folder !== undefined) removeNow(this.#folder, removeFolder);
    this.#release();
    this.#release = () => {};
  }
}

function parentFolder(): string {
  // The connecting process may have another current folder.
  const folder = resolve(tmpdir());
  return folder.length > MAX_FOLDER_LENGTH || SEPARATORS.test(folder) ? '/tmp' : folder;
}
