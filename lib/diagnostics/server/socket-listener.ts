/** Listens with a socket of the addon. */

import { systemCodeOf } from '../../base/system-code.ts';
import { Ready, type UnixSockets } from '../../platform/unix-socket.ts';
import type { Listener, OnConnection } from './connection.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import { isStaleSocket, unlinkQuietly } from './stale-ports.ts';

/** How many connections are accepted before the application gets a turn. */
const ACCEPTED_AT_ONCE = 100;
/** How long to wait after the system has refused, which it would do again immediately. */
const PAUSE_MS = 100;

export class SocketListener implements Listener {
  readonly #address: string;
  readonly #sockets: UnixSockets;
  readonly #onConnection: OnConnection;
  readonly descriptor: number;
  #isClosed = false;

  constructor(address: string, sockets: UnixSockets, onConnection: OnConnection) {
    this.#address = address;
    this.#sockets = sockets;
    this.#onConnection = onConnection;
    this.descriptor = this.#listen();
    this.#watch();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sockets.close(this.descriptor);
    unlinkQuietly(this.#address);
  }

  #listen(): number {
    try {
      return this.#sockets.listen(this.#address);
    } catch (error) {
      if (systemCodeOf(error) !== 'EADDRINUSE' || !isStaleSocket(this.#address, this.#sockets)) throw error;
      unlinkQuietly(this.#address);
      return this.#sockets.listen(this.#address);
    }
  }

  #watch(): void {
    this.#sockets.watch(this.descriptor, Ready.ToReceive, () => this.#accept());
  }

  #accept(): void {
    try {
      for (let count = 0; count < ACCEPTED_AT_ONCE; count++) {
        const descriptor = this.#sockets.accept(this.descriptor);
        if (descriptor === undefined) return;
        this.#onConnection(new DescriptorConnection(this.#sockets, descriptor));
      }
    } catch (error) {
      // A connection that closed while it waited.
      if (systemCodeOf(error) !== 'ECONNABORTED') this.#pause();
    }
  }

  /** Too many open files: the next connection waits. */
  #pause(): void {
    this.#sockets.unwatch(this.descriptor);
    setTimeout(() => {
      if (!this.#isClosed) this.#watch();
    }, PAUSE_MS).unref();
  }
}
