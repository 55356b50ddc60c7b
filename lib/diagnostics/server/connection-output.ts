/**
 * A session's bytes on their way to its client, behind the reply that there is a session. It never fails: clients
 * come and go, which the application need not know. Of one that is gone, the session hears by its connection.
 */
import type { SessionOutput } from '../../eventpipe/session-output.ts';
import type { ServerConnection } from './connection.ts';

export class ConnectionOutput implements SessionOutput {
  readonly #connection: ServerConnection;
  /** What came before the reply; undefined: that is sent. */
  #first: Uint8Array[] | undefined = [];
  /** What was taken last. */
  #newest: Uint8Array | undefined;
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

  /** Sends the reply, and from here on what the session writes. */
  open(reply: Uint8Array): void {
    this.#connection.send(reply);
    const first = this.#first ?? [];
    this.#first = undefined;
    for (const bytes of first) this.#send(bytes);
  }

  write(bytes: Uint8Array): void {
    const size = bytes.length;
    if (size === 0 || bytes === this.#newest) return;
    this.#newest = bytes;
    this.#pendingBytes += size;
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
