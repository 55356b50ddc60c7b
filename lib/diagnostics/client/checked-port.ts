/** Connects to a port only if the process itself listens there: anyone can create a file with the port's name. */
import { Socket } from 'node:net';
import { type UnixSockets, unixSockets } from '../../platform/unix-socket.ts';
import { DiagnosticsClientError } from './client-error.ts';
import { Connection, openError, type Target } from './connection.ts';
import type { DiagnosticPort } from './port-folder.ts';

/**
 * @returns the descriptor of the socket
 * @throws DiagnosticsClientError
 */
export function connectTo(sockets: UnixSockets, address: string, processId: number): number {
  let socket: number;
  try {
    socket = sockets.connect(address);
  } catch (error) {
    throw openError(error, address, `Process ${processId}`);
  }
  if (sockets.listeningProcess(socket) === processId) return socket;
  sockets.close(socket);
  throw new DiagnosticsClientError(
    'failed',
    `The diagnostic port ${address} does not belong to process ${processId}: another one listens there.`,
  );
}

/** The check needs Linux and the addon; without them, the owner of the socket must do. */
export function checkedTarget({ address, processId }: DiagnosticPort, timeoutMs: number): Target {
  const name = `Process ${processId}`;
  const sockets = unixSockets();
  return {
    name,
    connect: async () => {
      if (sockets === undefined) return Connection.open(address, name, timeoutMs);
      const fd = connectTo(sockets, address, processId);
      return new Connection(new Socket({ fd, readable: true, writable: true }), name);
    },
  };
}
