/** A diagnostic port that only a command of ours knows: in a folder for this user alone, gone when we are. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PRIVATE_FOLDER_PREFIX, PRIVATE_SOCKET, privatePipe } from '../diagnostics/private-port-name.ts';
import { removeForsakenFolders } from '../diagnostics/server/forsaken-ports.ts';
import { unixSockets } from '../platform/unix-socket.ts';
import { END_SIGNALS } from './stop-request.ts';

/** What a path of a socket may have, on the system that allows least, with room for the names below. */
const MAX_FOLDER_LENGTH = 70;
/** They have a meaning in the variable that tells of the port. */
const SEPARATORS = /[,;]/;

export class PrivatePort {
  /** A Unix socket's path, or a Windows pipe's name. */
  readonly address: string;
  readonly #folder: string | undefined;

  constructor() {
    if (process.platform === 'win32') {
      // Windows removes pipes by itself.
      this.address = privatePipe(process.pid, randomBytes(8).toString('hex'));
      return;
    }
    const parent = parentFolder();
    const sockets = unixSockets();
    if (sockets !== undefined) removeForsakenFolders(parent, sockets);
    this.#folder = mkdtempSync(join(parent, PRIVATE_FOLDER_PREFIX));
    this.address = join(this.#folder, PRIVATE_SOCKET);
    process.once('exit', this.#remove);
    // Before those who have the command end.
    for (const signal of END_SIGNALS) process.prependListener(signal, this.#onSignal);
  }

  close(): void {
    for (const signal of END_SIGNALS) process.off(signal, this.#onSignal);
    process.off('exit', this.#remove);
    this.#remove();
  }

  readonly #remove = (): void => {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  };

  /** Where nobody else cares for the signal, such as for a second Ctrl-C, it ends us, as without us. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    this.close();
    process.kill(process.pid, signal);
  };
}

function parentFolder(): string {
  // Whoever is to connect may have another current folder.
  const folder = resolve(tmpdir());
  return folder.length > MAX_FOLDER_LENGTH || SEPARATORS.test(folder) ? '/tmp' : folder;
}
