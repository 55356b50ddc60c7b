/**
 * A connection over a socket of the addon. It reads only the bytes that are requested, so that a descriptor that
 * follows a request is not lost; and no client keeps the process alive.
 */
import type { OwnedDescriptor } from '../../platform/owned-descriptor.ts';
import { Ready, type UnixSocket, UnixSocketError } from '../../platform/unix-socket.ts';
import { EXIT_STALL_MS, LINGER_MS, type ServerConnection } from './connection.ts';

/** After this time, a client that reads nothing no longer blocks the process. */
const STALL_MS = 10_000;
/** Anything that clients send after their request is read in chunks of this size, and discarded. */
const DISCARDED = new Uint8Array(1 << 16);
const NOTHING = new Uint8Array(0);

interface Outgoing {
  readonly bytes: Uint8Array;
  readonly onSent: () => void;
  offset: number;
}

/** Called whenever something has arrived, until it returns true. */
type Receiver = () => boolean;

export class DescriptorConnection implements ServerConnection {
  readonly closed: Promise<void>;
  readonly #socket: UnixSocket;
  readonly #outgoing: Outgoing[] = [];
  #setClosed: () => void = () => {};
  #receiver: Receiver | undefined;
  /** Cancels the receiver. */
  #stopReceiver: () => void = () => {};
  #watched = 0;
  #isSending = false;
  #isEnding = false;
  /** How many milliseconds sending may currently block. */
  #patience: () => number = () => 0;
  /** Bytes to read before those of the socket. */
  #ahead: Uint8Array;

  /**
   * @param socket connected; closed with the connection
   * @param ahead bytes already read from it
   */
  constructor(socket: UnixSocket, ahead: Uint8Array = NOTHING) {
    this.#socket = socket;
    this.#ahead = ahead;
    this.closed = new Promise((resolve) => {
      this.#setClosed = resolve;
    });
  }

  read(size: number): Promise<Uint8Array> {
    if (size === 0) return Promise.resolve(NOTHING);
    const bytes = new Uint8Array(size);
    const ahead = this.#ahead.subarray(0, size);
    bytes.set(ahead);
    this.#ahead = this.#ahead.subarray(ahead.length);
    let { length } = ahead;
    return this.#receive(
      () => {
        while (length < size) {
          const received = this.#socket.receive(bytes, length);
          if (received === undefined) return undefined;
          if (received === 0) break;
          length += received;
        }
        return bytes.subarray(0, length);
      },
      () => bytes.subarray(0, length),
    );
  }

  readonly receiveDescriptor = (): Promise<OwnedDescriptor | undefined> => {
    return this.#receive(
      () => {
        const { size, descriptor } = this.#socket.receiveDescriptor();
        return size === undefined ? undefined : { descriptor };
      },
      () => ({ descriptor: undefined }),
    ).then(({ descriptor }) => descriptor);
  };

  stopReading(): void {
    this.#stopReceiver();
  }

  send(bytes: Uint8Array, onSent: () => void = () => {}): void {
    if (!this.#socket.isOpen || bytes.length === 0) {
      onSent();
      return;
    }
    this.#outgoing.push({ bytes, onSent, offset: 0 });
    this.#guard(() => this.#sendOn());
  }

  closeWithClient(): void {
    this.#discard();
  }

  end(): void {
    if (this.#isEnding || !this.#socket.isOpen) return;
    this.#isEnding = true;
    if (this.#outgoing.length === 0) this.#linger();
  }

  close(): void {
    if (!this.#socket.isOpen) return;
    this.#socket.close();
    this.#stopReceiver();
    for (const { onSent } of this.#outgoing.splice(0)) onSent();
    this.#setClosed();
  }

  /**
   * Ends the connection here, but not for its client.
   *
   * @returns what continues elsewhere: the descriptor and unsent bytes; undefined if the connection is closed
   */
  release(): { readonly descriptor: number; readonly unsent: Uint8Array } | undefined {
    if (!this.#socket.isOpen) return undefined;
    const descriptor = this.#socket.release();
    this.#stopReceiver();
    const unsent = Buffer.concat(this.#outgoing.map(({ bytes, offset }) => bytes.subarray(offset)));
    this.#setClosed();
    return { descriptor, unsent };
  }

  readonly drain = (): void => {
    const usual = this.#patience;
    this.#patience = () => STALL_MS;
    this.#sendNow();
    this.#patience = usual;
    if (this.#outgoing.length > 0 && !this.#isSending) this.close();
  };

  hurry(deadline: number): void {
    this.#patience = () => Math.min(EXIT_STALL_MS, Math.ceil(deadline - performance.now()));
    this.#sendNow();
  }

  #sendNow(): void {
    if (this.#socket.isOpen) this.#guard(() => this.#sendOn());
  }

  /**
   * @param attempt returns undefined while there is nothing
   * @param giveUp the result if nothing more comes
   */
  #receive<T>(attempt: () => T | undefined, giveUp: () => T): Promise<T> {
    return new Promise((resolve) => {
      const finish = (result: T): void => {
        this.#stopReceiver = () => {};
        this.#receiver = undefined;
        resolve(result);
      };
      if (!this.#socket.isOpen) {
        finish(giveUp());
        return;
      }
      this.#stopReceiver = () => {
        finish(giveUp());
        this.#guard(() => this.#watch());
      };
      this.#guard(() => {
        this.#receiver = () => {
          const result = attempt();
          if (result === undefined) return false;
          finish(result);
          return true;
        };
        this.#receiver();
        this.#watch();
      });
    });
  }

  #discard(): void {
    if (!this.#socket.isOpen) return;
    this.#receiver = () => {
      if (this.#socket.receive(DISCARDED, 0) === 0) this.close();
      return false;
    };
    this.#guard(() => this.#watch());
  }

  #sendOn(): void {
    // Runs again after the notification below.
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let first = this.#outgoing[0]; first !== undefined; first = this.#outgoing[0]) {
        if (!this.#sendPart(first)) break;
        if (first.offset < first.bytes.length) continue;
        this.#outgoing.shift();
        first.onSent();
      }
    } finally {
      this.#isSending = false;
    }
    if (!this.#socket.isOpen) return;
    if (this.#outgoing.length === 0 && this.#isEnding) this.#linger();
    else this.#watch();
  }

  /** @returns false if there is no room at present */
  #sendPart(part: Outgoing): boolean {
    const sent = this.#socket.send(part.bytes, part.offset);
    if (sent !== undefined) {
      part.offset += sent;
      return true;
    }
    const patience = this.#patience();
    if (patience > 0 && this.#socket.awaitSendable(patience)) return true;
    this.#patience = () => 0;
    return false;
  }

  /**
   * The client should read the end of the stream, not a reset, which closing a socket with unread bytes would cause.
   */
  #linger(): void {
    this.#socket.endSending();
    setTimeout(() => this.close(), LINGER_MS).unref();
    this.#discard();
  }

  /** How long to wait for the remaining work. */
  #watch(): void {
    if (!this.#socket.isOpen) return;
    const events =
      (this.#receiver === undefined ? 0 : Ready.ToReceive) | (this.#outgoing.length === 0 ? 0 : Ready.ToSend);
    if (events === this.#watched) return;
    this.#watched = events;
    if (events === 0) this.#socket.unwatch();
    else this.#socket.watch(events, (ready) => this.#guard(() => this.#goOn(ready)));
  }

  #goOn(ready: number): void {
    if ((ready & Ready.ToReceive) !== 0 && this.#receiver !== undefined) this.#receiver();
    if (!this.#socket.isOpen) return;
    if ((ready & Ready.ToSend) !== 0) this.#sendOn();
    else this.#watch();
  }

  /** Whatever the error, the connection is of no more use. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UnixSocketError)) throw error;
      this.close();
    }
  }
}
