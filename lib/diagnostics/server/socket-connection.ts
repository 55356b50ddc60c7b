/** A connection over a Node.js socket, where the addon has none: Unix sockets of macOS, pipes of Windows. */
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { systemCodeOf } from '../../base/system-code.ts';
import { doAtExit } from '../../listen/at-exit.ts';
import { EXIT_STALL_MS, LINGER_MS, type ServerConnection } from './connection.ts';

/** Pending data keeps the process alive: a client that reads nothing for this long is dropped. */
const STALL_MS = 10_000;
/** An exiting process tries this often whether its client has made room. */
const RETRY_MS = 1;
/** What streams have as the encoding of bytes; their declaration knows only those of texts. */
const BYTES = 'buffer' as BufferEncoding;

/** What Node.js does not document of a socket, but uses itself in all versions. Other runtimes may lack it. */
interface SocketHandle {
  /** Negative for a pipe of Windows. */
  readonly fd: number;
  /** How many bytes libuv has taken that the system has not. */
  readonly writeQueueSize: number;
}

interface Outgoing {
  readonly bytes: Uint8Array;
  readonly onSent: () => void;
}

export class SocketConnection implements ServerConnection {
  /** Whether the process has waited for its pipes, at exit: once for all of them. */
  static #hasWaited = false;
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #outgoing: Outgoing[] = [];
  #stopReading: () => void = () => {};
  #isEnding = false;
  /** Whether the socket is taking the first of the outgoing bytes. */
  #isSending = false;
  /** How much of the first the system has, while the process is exiting; undefined before. */
  #exitOffset: number | undefined;
  #exitDeadline = 0;

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
    this.#outgoing.push({ bytes, onSent });
    if (this.#exitOffset === undefined) this.#sendOn();
    else this.#sendNow();
  }

  closeWithClient(): void {
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.resume();
    if (this.#socket.readableEnded) this.#socket.destroy();
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#outgoing.length === 0) this.#linger();
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  hurry(deadline: number): void {
    this.#exitDeadline = deadline;
    const { length = 0 } = this.#outgoing[0]?.bytes ?? {};
    this.#exitOffset = this.#isSending ? length - (this.#handle?.writeQueueSize ?? 0) : 0;
    this.#sendNow();
    // After the sessions have written their ends.
    doAtExit(() => this.#awaitPipe());
  }

  #sendOn(): void {
    while (!this.#isSending) {
      const [first] = this.#outgoing;
      if (first === undefined) break;
      this.#isSending = true;
      this.#socket.setTimeout(STALL_MS);
      const setSent = (): void => {
        if (this.#outgoing[0] !== first) return;
        this.#isSending = false;
        this.#outgoing.shift();
        if (this.#outgoing.length === 0) this.#socket.setTimeout(0);
        first.onSent();
      };
      this.#socket.write(first.bytes, () => {
        setSent();
        this.#sendOn();
      });
      // When the process exits, later callbacks do not run.
      if (this.#socket.writableLength === 0) setSent();
    }
    if (this.#isEnding && this.#outgoing.length === 0) this.#linger();
  }

  #linger(): void {
    this.#socket.end(() => {
      setTimeout(() => this.close(), LINGER_MS).unref();
    });
  }

  /** Undefined once the connection is closed. */
  get #handle(): SocketHandle | undefined {
    return (this.#socket as { readonly _handle?: SocketHandle | null })._handle ?? undefined;
  }

  /** Sends everything before it returns, as far as the client reads: an exiting process has no later turn. */
  #sendNow(): void {
    const handle = this.#handle;
    if (handle === undefined) this.#shiftAll();
    else if (handle.fd >= 0) this.#writeNow(handle.fd);
    else this.#passToPipe();
  }

  #writeNow(fd: number): void {
    let patience = this.#patience();
    for (let first = this.#outgoing[0]; first !== undefined; first = this.#outgoing[0]) {
      const { bytes, onSent } = first;
      const offset = this.#exitOffset ?? 0;
      const size = offset < bytes.length ? written(fd, bytes, offset) : 0;
      if (size === undefined) {
        if (performance.now() >= patience) {
          // What comes later is tried, but not waited for.
          this.#exitDeadline = 0;
          return;
        }
        pause(RETRY_MS);
        continue;
      }
      patience = this.#patience();
      this.#exitOffset = offset + size;
      if (this.#exitOffset < bytes.length) continue;
      this.#exitOffset = 0;
      this.#outgoing.shift();
      onSent();
    }
  }

  /** Says until when a client may read nothing. */
  #patience(): number {
    return Math.min(performance.now() + EXIT_STALL_MS, this.#exitDeadline);
  }

  /**
   * Node.js passes bytes to a pipe of Windows one write at a time, and the next in a later turn; the system takes all
   * writes at once, in order, and goes on with them while this thread waits.
   */
  #passToPipe(): void {
    // The system has the first already.
    const pieces = this.#outgoing.slice(this.#isSending ? 1 : 0);
    this.#isSending = false;
    for (const { bytes } of pieces) this.#socket._write(bytes, BYTES, () => {});
    this.#shiftAll();
  }

  /** Windows discards what a client has not read of a pending write; when it has, only a turn would tell. */
  #awaitPipe(): void {
    const { fd = 0, writeQueueSize = 0 } = this.#handle ?? {};
    if (fd >= 0 || writeQueueSize === 0 || SocketConnection.#hasWaited) return;
    SocketConnection.#hasWaited = true;
    pause(Math.max(0, this.#exitDeadline - performance.now()));
  }

  #shiftAll(): void {
    for (const { onSent } of this.#outgoing.splice(0)) onSent();
  }
}

/** @returns undefined if there is no room at present; all of the bytes if the client has gone */
function written(fd: number, bytes: Uint8Array, offset: number): number | undefined {
  try {
    return writeSync(fd, bytes, offset);
  } catch (error) {
    return systemCodeOf(error) === 'EAGAIN' ? undefined : bytes.length - offset;
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
