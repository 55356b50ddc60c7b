/** Listens with a socket of the addon. */

import { systemCodeOf } from '../../base/system-code.ts';
import { Acceptor } from '../../platform/acceptor.ts';
import type { UnixSocket, UnixSockets } from '../../platform/unix-socket.ts';
import type { Listener, OnConnection } from './connection.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import { isStaleSocket, unlinkQuietly } from './stale-ports.ts';

export class SocketListener implements Listener {
  readonly #address: string;
  readonly #acceptor: Acceptor;
  readonly socket: UnixSocket;

  constructor(address: string, sockets: UnixSockets, onConnection: OnConnection) {
    this.#address = address;
    this.socket = listen(address, sockets);
    this.#acceptor = new Acceptor(this.socket, (connection) =>
      onConnection(new DescriptorConnection(connection)),
    );
  }

  close(): void {
    if (!this.socket.isOpen) return;
    this.#acceptor.close();
    unlinkQuietly(this.#address);
  }
}

function listen(address: string, sockets: UnixSockets): UnixSocket {
  try {
    return sockets.listen(address);
  } catch (error) {
    if (systemCodeOf(error) !== 'EADDRINUSE' || !isStaleSocket(address, sockets)) throw error;
    unlinkQuietly(address);
    return sockets.listen(address);
  }
}
