// The simplest client, over persistent connections: its own work is not part of the figure.
import { once } from 'node:events';
import { connect } from 'node:net';

export const REQUEST = Buffer.from(
  'GET /orders/17?fields=all HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n',
);
/** Ends every response: no variant's response contains another `}`. */
const END = '}'.charCodeAt(0);

/** @returns open connections */
export async function openConnections(port, count) {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', noDelay: true }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

/** Each connection sends its next request when it has a response, until all together have had this many. */
export async function ask(sockets, requests) {
  let left = requests;
  /** @returns {Promise<void>} */
  const askFrom = (socket) =>
    new Promise((resolve, reject) => {
      const next = () => {
        if (left-- > 0) socket.write(REQUEST);
        else {
          socket.off('data', onData);
          socket.off('close', onClose);
          resolve();
        }
      };
      const onData = (bytes) => {
        if (bytes[bytes.length - 1] === END) next();
      };
      const onClose = () => reject(new Error('The server has closed a connection.'));
      if (socket.destroyed) onClose();
      socket.on('data', onData);
      socket.on('close', onClose);
      next();
    });
  await Promise.all(sockets.map(askFrom));
}
