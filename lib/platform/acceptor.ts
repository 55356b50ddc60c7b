/** Accepts the connections of a listening socket, many at a time, as long as the socket is open. */
import { systemCodeOf } from '../base/system-code.ts';
import { Ready, type UnixSocket } from './unix-socket.ts';

/** How many connections are accepted before the application gets a turn. */
const ACCEPTED_AT_ONCE = 100;
/** How long to wait after the system has refused, which it would do again immediately. */
const PAUSE_MS = 100;

export class Acceptor {
  readonly #listener: UnixSocket;
  readonly #onConnection: (connection: UnixSocket) => void;
  readonly #hasRoom: () => boolean;
  #pause: NodeJS.Timeout | undefined;

  /**
   * @param onConnection gets each connection, and owns it
   * @param hasRoom whether another one can be served; otherwise it waits briefly
   * @throws UnixSocketError
   */
  constructor(
    listener: UnixSocket,
    onConnection: (connection: UnixSocket) => void,
    hasRoom: () => boolean = () => true,
  ) {
    this.#listener = listener;
    this.#onConnection = onConnection;
    this.#hasRoom = hasRoom;
    this.#watch();
  }

  /** Closes the listening socket; connections stay open. Repeated calls have no effect. */
  close(): void {
    clearTimeout(this.#pause);
    this.#listener.close();
  }

  #watch(): void {
    this.#listener.watch(Ready.ToReceive, () => this.#accept());
  }

  #watchAgain(): void {
    try {
      this.#watch();
    } catch {
      this.#wait();
    }
  }

  #accept(): void {
    try {
      for (let count = 0; count < ACCEPTED_AT_ONCE && this.#listener.isOpen; count++) {
        if (!this.#hasRoom()) {
          this.#wait();
          return;
        }
        const connection = this.#listener.accept();
        if (connection === undefined) return;
        this.#serve(connection);
      }
    } catch (error) {
      // Too many files are open. A connection that closed while it waited is no reason to wait.
      if (systemCodeOf(error) !== 'ECONNABORTED') this.#wait();
    }
  }

  #serve(connection: UnixSocket): void {
    try {
      this.#onConnection(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #wait(): void {
    if (!this.#listener.isOpen) return;
    this.#listener.unwatch();
    this.#pause = setTimeout(() => this.#watchAgain(), PAUSE_MS).unref();
  }
}
