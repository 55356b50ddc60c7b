/** Listens with Node.js's own sockets, or on Windows with its pipes: where the addon has none. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { UnixSocketError } from '../../platform/unix-socket.ts';
import { parsePortName } from '../../wire/diagnostics-ipc/port-name.ts';
import type { Listener, OnConnection } from './connection.ts';
import { SocketConnection } from './socket-connection.ts';
import { unlinkQuietly } from './stale-ports.ts';

/** Sockets have one, Windows' pipes do not. */
const HAS_FILE = process.platform !== 'win32';
/** Nobody but the process's user may connect. */
const PRIVATE = 0o177;

export class NodeListener implements Listener {
  readonly #server = createServer({ allowHalfOpen: true });
  readonly #address: string;

  constructor(address: string, onConnection: OnConnection) {
    this.#address = address;
    // Left behind by an earlier process of this one's id.
    if (HAS_FILE && parsePortName(basename(address))?.processId === process.pid) unlinkQuietly(address);
    this.#server.on('connection', (socket) => onConnection(new SocketConnection(socket)));
    // Why it does not listen is told only when somebody has to know already.
    this.#server.on('error', () => {});
    this.#listen();
    if (!this.#server.listening) {
      throw new UnixSocketError(existsSync(address) ? 'EADDRINUSE' : 'refused', 'Listening');
    }
    this.#server.unref();
  }

  close(): void {
    this.#server.close();
    // Closing does it, but a process that exits has no time for it.
    if (HAS_FILE) unlinkQuietly(this.#address);
  }

  /** It is done when this returns, which is why the umask, of the whole process, is another only meanwhile. */
  #listen(): void {
    const options = { path: this.#address, exclusive: true };
    if (!HAS_FILE) {
      this.#server.listen(options);
      return;
    }
    const mask = process.umask(PRIVATE);
    try {
      this.#server.listen(options);
    } finally {
      process.umask(mask);
    }
  }
}
