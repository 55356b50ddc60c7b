/** Connects to a port only if the process itself listens there: anyone can create a file with the port's name. */
import { Socket } from 'node:net';
import { type UnixSocket, type UnixSockets, unixSockets } from '../../platform/unix-socket.ts';
import { DiagnosticsClientError } from './client-error.ts';
import { Connection, openError, type Target } from './connection.ts';
import type { DiagnosticPort } from './port-folder.ts';

/**
 * @throws DiagnosticsClientError
 */
export function connectTo(sockets: UnixSockets, address: string, processId: number): UnixSocket {
  let socket: UnixSocket;
  try {
    socket = sockets.connect(address);
  } catch (error) {
    throw openError(error, address, `Process ${processId}`);
  }
  if (socket.listeningProcess() === processId) return socket;
  socket.close();
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
      return connectionOver(connectTo(sockets, address, processId), name);
    },
  };
}

/** Owns the socket from here on. */
export function connectionOver(socket: UnixSocket, name: string): Connection {
  return new Connection(new Socket({ fd: socket.release(), readable: true, writable: true }), name);
}
