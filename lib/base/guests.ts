/**
 * Connections to a server of ours by whom nobody knows: anyone on the machine can open as many as he likes and say
 * nothing. They are few and short-lived, and a new one takes the place of the oldest, so that they keep nobody out.
 */
import type { Server, Socket } from 'node:net';

/** A client sends its request at once: within this many newer connections. */
const MAX_GUESTS = 16;
const GUEST_MS = 5000;

export class Guests {
  /** The oldest first, with what ends each. */
  readonly #guests = new Map<Socket, NodeJS.Timeout>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const [oldest] = this.#guests.keys();
      if (oldest !== undefined && this.#guests.size >= MAX_GUESTS) oldest.destroy();
      // After a long turn of the event loop, its request may be there, unread.
      const end = () => setImmediate(() => this.#guests.has(socket) && socket.destroy());
      this.#guests.set(socket, setTimeout(end, GUEST_MS));
      socket.once('close', () => this.#forget(socket));
    });
  }

  /** It has shown who it is: it may stay. */
  admit(socket: Socket): void {
    this.#forget(socket);
  }

  #forget(socket: Socket): void {
    clearTimeout(this.#guests.get(socket));
    this.#guests.delete(socket);
  }
}
