/** A connection over a Node.js socket, where the addon has none. */
import type { Socket } from 'node:net';
import { doAtExit } from '../../listen/at-exit.ts';
import { LINGER_MS, type ServerConnection } from './connection.ts';

/** Pending data keeps the process alive: a client that reads nothing for this long is dropped. */
const STALL_MS = 10_000;

export class SocketConnection implements ServerConnection {
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #stopReading: () => void = () => {};
  #isEnding = false;
  #sending = 0;

  /** @param socket connected, with `allowHalfOpen`: a client that has finished sending may still want its reply */
  constructor(socket: Socket) {
    this.#socket = socket.unref();
    // The end tells enough.
    socket.on('error', () => {});
    socket.on('timeout', () => socket.destroy());
    this.closed = new Promise((resolve) => {
      socket.on('close', () => resolve());
    });
  }

  read(size: number): Promise<Uint8Array> {
    return new Promise((resolve) => {
      const finish = (bytes: Uint8Array | null): void => {
        this.#stopReading = () => {};
        this.#socket.off('readable', take).off('end', giveUp).off('close', giveUp);
        resolve(bytes ?? new Uint8Array(0));
      };
      const giveUp = (): void => finish(this.#socket.read());
      const take = (): void => {
        // At the end there may be fewer.
        const bytes = size === 0 ? new Uint8Array(0) : (this.#socket.read(size) as Uint8Array | null);
        if (bytes !== null) finish(bytes);
      };
      this.#stopReading = giveUp;
      this.#socket.on('readable', take).on('end', giveUp).on('close', giveUp);
      if (this.#socket.destroyed || this.#socket.readableEnded) giveUp();
      else take();
    });
  }

  stopReading(): void {
    this.#stopReading();
  }

  send(bytes: Uint8Array, onSent: () => void = () => {}): void {
    this.#sending++;
    this.#socket.setTimeout(STALL_MS);
    let isTold = false;
    const tell = (): void => {
      if (isTold) return;
      isTold = true;
      if (--this.#sending === 0) this.#socket.setTimeout(0);
      onSent();
    };
    this.#socket.write(bytes, tell);
    // When the process exits, later callbacks do not run.
    if (this.#socket.writableLength === 0) tell();
  }

  closeWithClient(): void {
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.resume();
    if (this.#socket.readableEnded) this.#socket.destroy();
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.end(() => {
      setTimeout(() => this.close(), LINGER_MS).unref();
    });
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * One write has everything: Node.js writes to a pipe of Windows in the background, and begins no second write before
   * a later turn, which no longer comes.
   */
  hurry(): void {
    this.#socket.cork();
    // After all that is there already, and sends the rest.
    doAtExit(() => this.#socket.uncork());
  }
}
