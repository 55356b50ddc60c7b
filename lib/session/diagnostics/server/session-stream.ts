/**
 * The stream of a session's bytes to its client, behind the reply that there is a session. It never fails: clients
 * come and go, which the application need not know. Of one that is gone, the session hears by its connection.
 */
import { Writable } from 'node:stream';
import type { ServerConnection } from './connection.ts';

export class SessionStream extends Writable {
  readonly #connection: ServerConnection;
  #isOpen = false;
  /** Sends what came before the reply. */
  #sendFirst: () => void = () => {};

  constructor(connection: ServerConnection) {
    super();
    this.#connection = connection;
  }

  /** Sends the reply, and from here on what the session writes. */
  open(reply: Uint8Array): void {
    this.#connection.send(reply);
    this.#isOpen = true;
    this.#sendFirst();
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, onSent: () => void): void {
    const send = (): void => this.#connection.send(bytes, onSent);
    if (this.#isOpen) send();
    else this.#sendFirst = send;
  }
}
