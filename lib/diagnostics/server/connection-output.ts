/**
 * A session's bytes on their way to its client, after the reply that announces the session. It never fails: clients
 * come and go, and the application need not know. The session learns from the connection that a client has gone.
 */
import type { SessionOutput } from '../../eventpipe/session-output.ts';
import { type Piece, pieceBytes } from '../../wire/nettrace/write/framing.ts';
import type { ServerConnection } from './connection.ts';

export class ConnectionOutput implements SessionOutput {
  readonly #connection: ServerConnection;
  /** What came before the reply was sent; undefined afterwards. */
  #first: Uint8Array[] | undefined = [];
  #pendingBytes = 0;
  #writtenBytes = 0;
  #onIdle: () => void = () => {};

  constructor(connection: ServerConnection) {
    this.#connection = connection;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Sends the reply, and then what the session writes. */
  open(reply: Uint8Array): void {
    this.#connection.send(reply);
    const first = this.#first ?? [];
    this.#first = undefined;
    for (const bytes of first) this.#send(bytes);
  }

  write(piece: Piece, at: number): void {
    if (piece.length === 0 || at < this.#writtenBytes + this.#pendingBytes) return;
    const bytes = pieceBytes(piece);
    this.#pendingBytes += bytes.length;
    if (this.#first === undefined) this.#send(bytes);
    else this.#first.push(bytes);
  }

  end(): Promise<void> {
    if (this.#pendingBytes === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #send(bytes: Uint8Array): void {
    this.#connection.send(bytes, () => {
      this.#pendingBytes -= bytes.length;
      this.#writtenBytes += bytes.length;
      if (this.#pendingBytes === 0) this.#onIdle();
    });
  }
}
