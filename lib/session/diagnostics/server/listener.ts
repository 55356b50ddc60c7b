/** Where clients connect to this process. */
import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { Ready, type UnixSockets } from '../../../platform/unix-socket.ts';
import { parsePortName } from '../../../wire/diagnostics-ipc/port-name.ts';
import type { ServerConnection } from './connection.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import { PortError, systemCodeOf } from './port-error.ts';
import { SocketConnection } from './socket-connection.ts';

export interface Listener {
  /** Takes the socket's file away; connections stay. */
  close(): void;
}

export type OnConnection = (connection: ServerConnection) => void;

/** Connections that are taken at once, before the application has its turn again. */
const ACCEPTED_AT_ONCE = 100;
/** After the system has refused, which it would do again and again. */
const PAUSE_MS = 100;
/** Nobody but the process's user may connect. */
const PRIVATE = 0o177;

/**
 * Listens at once; does not keep the process running.
 *
 * @param address as of `systemAddress`
 * @param sockets undefined: those of Node.js
 * @throws PortError
 */
export function listenAt(
  address: string,
  sockets: UnixSockets | undefined,
  onConnection: OnConnection,
): Listener {
  try {
    return sockets === undefined
      ? new NodeListener(address, onConnection)
      : new SocketListener(address, sockets, onConnection);
  } catch (error) {
    const reason = systemCodeOf(error) ?? String(error);
    throw new PortError(
      reason === 'EADDRINUSE'
        ? `Somebody listens already at the diagnostic port's address ${address} (${reason}).`
        : `The diagnostic port cannot listen at ${address} (${reason}).`,
    );
  }
}

class SocketListener implements Listener {
  readonly #address: string;
  readonly #sockets: UnixSockets;
  readonly #onConnection: OnConnection;
  readonly #descriptor: number;
  #isClosed = false;

  constructor(address: string, sockets: UnixSockets, onConnection: OnConnection) {
    this.#address = address;
    this.#sockets = sockets;
    this.#onConnection = onConnection;
    this.#descriptor = this.#listen();
    this.#watch();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sockets.close(this.#descriptor);
    unlinkQuietly(this.#address);
  }

  #listen(): number {
    try {
      return this.#sockets.listen(this.#address);
    } catch (error) {
      if (systemCodeOf(error) !== 'EADDRINUSE' || !this.#isLeftBehind()) throw error;
      unlinkQuietly(this.#address);
      return this.#sockets.listen(this.#address);
    }
  }

  /** Whether the file is a socket that nobody listens at any more. */
  #isLeftBehind(): boolean {
    try {
      // Of another kind of file, connecting says the same.
      if (!lstatSync(this.#address).isSocket()) return false;
      this.#sockets.close(this.#sockets.connect(this.#address));
      return false;
    } catch (error) {
      return systemCodeOf(error) === 'ECONNREFUSED';
    }
  }

  #watch(): void {
    this.#sockets.watch(this.#descriptor, Ready.ToReceive, () => this.#accept());
  }

  #accept(): void {
    try {
      for (let count = 0; count < ACCEPTED_AT_ONCE; count++) {
        const descriptor = this.#sockets.accept(this.#descriptor);
        if (descriptor === undefined) return;
        this.#onConnection(new DescriptorConnection(this.#sockets, descriptor));
      }
    } catch (error) {
      // One that has gone while it waited.
      if (systemCodeOf(error) !== 'ECONNABORTED') this.#pause();
    }
  }

  /** There are too many open files: the next connection waits. */
  #pause(): void {
    this.#sockets.unwatch(this.#descriptor);
    setTimeout(() => {
      if (!this.#isClosed) this.#watch();
    }, PAUSE_MS).unref();
  }
}

class NodeListener implements Listener {
  readonly #server = createServer({ allowHalfOpen: true });
  readonly #address: string;

  constructor(address: string, onConnection: OnConnection) {
    this.#address = address;
    // Left behind by an earlier process of this one's id.
    if (parsePortName(basename(address))?.processId === process.pid) unlinkQuietly(address);
    this.#server.on('connection', (socket) => onConnection(new SocketConnection(socket)));
    // It would be told too late.
    this.#server.on('error', () => {});
    this.#listen();
    if (!this.#server.listening) throw existsSync(address) ? 'EADDRINUSE' : 'the system refuses it';
    this.#server.unref();
  }

  close(): void {
    this.#server.close();
    // Closing does it, but a process that exits has no time for it.
    if (process.platform !== 'win32') unlinkQuietly(this.#address);
  }

  /** It is done when this returns, which is why the umask, of the whole process, is another only meanwhile. */
  #listen(): void {
    const options = { path: this.#address, exclusive: true };
    if (process.platform === 'win32') {
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

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody has taken it away already.
  }
}
