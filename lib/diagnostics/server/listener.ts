/** Where clients connect to this process. */

import { systemCodeOf } from '../../base/system-code.ts';
import type { UnixSockets } from '../../platform/unix-socket.ts';
import type { Listener, OnConnection } from './connection.ts';
import { NodeListener } from './node-listener.ts';
import { PortError } from './port-error.ts';
import { SocketListener } from './socket-listener.ts';

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
    const code = systemCodeOf(error);
    throw new PortError(
      code === 'EADDRINUSE'
        ? `Somebody listens already at the diagnostic port's address ${address} (${code}).`
        : `The diagnostic port cannot listen at ${address} (${code}).`,
    );
  }
}
