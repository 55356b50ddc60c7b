/** Listens with Node.js's own sockets, or pipes on Windows, where the addon has none. */
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
/** Only the process's user may connect. */
const PRIVATE = 0o177;

export class NodeListener implements Listener {
  readonly #server = createServer({ allowHalfOpen: true });
  readonly #address: string;

  constructor(address: string, onConnection: OnConnection) {
    this.#address = address;
    // Left behind by an earlier process with the same id.
    if (HAS_FILE && parsePortName(basename(address))?.processId === process.pid) unlinkQuietly(address);
    this.#server.on('connection', (socket) => onConnection(new SocketConnection(socket)));
    // The reason for a failure is reported only when someone needs it.
    this.#server.on('error', () => {});
    this.#listen();
    if (!this.#server.listening) {
      throw new UnixSocketError(existsSync(address) ? 'EADDRINUSE' : 'refused', 'Listening');
    }
    this.#server.unref();
  }

  close(): void {
    this.#server.close();
    // Closing does this, but an exiting process has no time for it.
    if (HAS_FILE) unlinkQuietly(this.#address);
  }

  /**
   * The socket exists when this returns, so the umask, which applies to the whole process, is changed only meanwhile.
   */
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
