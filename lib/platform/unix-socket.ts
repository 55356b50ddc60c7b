/**
 * The addon's Unix sockets: they read exactly as many bytes as requested, receive descriptors that another process
 * sends, and never keep this process alive. Node.js's own do none of this. Linux only; see native/linux/unix_socket.h
 * and native/descriptor_watches.h.
 */
import { systemErrorName } from '../base/system-code.ts';
import { isOtherRuntime, linuxAddon } from './addon.ts';
import type { LinuxAddon } from './addon-functions.ts';
import { OwnedDescriptor } from './owned-descriptor.ts';

/** What a descriptor can be watched for, and reported ready for. */
export const Ready = { ToReceive: 1, ToSend: 2 } as const;

/** A system call that failed. */
export class UnixSocketError extends Error {
  override readonly name = 'UnixSocketError';
  /** The system's name of the error, such as `EADDRINUSE`. */
  readonly code: string;

  constructor(code: string, what: string) {
    super(`${what} failed (${code}).`);
    this.code = code;
  }
}

/** Nothing is available at present, or there is no room. */
const AGAIN = ['EAGAIN', 'EWOULDBLOCK'];

/** Makes sockets; the caller closes them. */
export class UnixSockets {
  readonly #addon: LinuxAddon;

  constructor(addon: LinuxAddon) {
    this.#addon = addon;
  }

  /**
   * Listens on a path to which only this process's user may connect.
   *
   * @throws UnixSocketError
   */
  listen(path: string): UnixSocket {
    return this.adopt(checked('Listening', this.#addon.socketListen(path)));
  }

  /** @throws UnixSocketError */
  connect(path: string): UnixSocket {
    return this.adopt(checked('Connecting', this.#addon.socketConnect(path)));
  }

  /** @param released by another owner, for example in another thread */
  adopt(released: number): UnixSocket {
    return new UnixSocket(this.#addon, released);
  }

  /**
   * Gives the process the kind of mapping by which record-trace recognises a .NET process; see
   * native/linux/executable_mapping.h.
   *
   * @throws UnixSocketError
   */
  mapLikeDotNet(): void {
    checked('Mapping executable memory', this.#addon.mapLikeDotNet());
  }
}

/** A socket of this thread. Once it has been closed or released, its functions fail with EBADF. */
export class UnixSocket extends OwnedDescriptor {
  readonly #addon: LinuxAddon;

  constructor(addon: LinuxAddon, number: number) {
    super(number);
    this.#addon = addon;
  }

  /**
   * The next connection of a listening socket; undefined if none is waiting.
   *
   * @throws UnixSocketError
   */
  accept(): UnixSocket | undefined {
    const accepted = available('Accepting', this.#addon.socketAccept(this.number));
    return accepted === undefined ? undefined : new UnixSocket(this.#addon, accepted);
  }

  /**
   * Returns the same socket under another number, for a second owner.
   *
   * @throws UnixSocketError
   */
  duplicate(): UnixSocket {
    return new UnixSocket(this.#addon, checked('Duplicating', this.#addon.socketDuplicate(this.number)));
  }

  /**
   * The process that listens on the other end of the connection; 0 if this process cannot see it.
   *
   * @throws UnixSocketError
   */
  listeningProcess(): number {
    return checked('Identifying the peer', this.#addon.socketListeningProcess(this.number));
  }

  /**
   * The user id of the process that has connected.
   *
   * @throws UnixSocketError
   */
  connectedUser(): number {
    return checked('Identifying the peer', this.#addon.socketConnectedUser(this.number));
  }

  /**
   * Fills the bytes from the offset, as far as data is available.
   *
   * @returns how many bytes were read; 0 at the end of the stream; undefined if nothing is available at present
   * @throws UnixSocketError
   */
  receive(bytes: Uint8Array, offset: number): number | undefined {
    return available('Receiving', this.#addon.socketReceive(this.number, bytes, offset));
  }

  /**
   * Sends the bytes from the offset, as far as there is room.
   *
   * @returns how many were accepted; undefined if there is no room at present
   * @throws UnixSocketError
   */
  send(bytes: Uint8Array, offset: number): number | undefined {
    return available('Sending', this.#addon.socketSend(this.number, bytes, offset));
  }

  /**
   * Receives one byte, and the descriptor sent with it.
   *
   * @returns `size` as for `receive`
   * @throws UnixSocketError
   */
  receiveDescriptor(): {
    readonly size: number | undefined;
    readonly descriptor: OwnedDescriptor | undefined;
  } {
    const { size, descriptor } = this.#addon.socketReceiveDescriptor(this.number);
    return {
      size: available('Receiving', size),
      descriptor: descriptor < 0 ? undefined : new OwnedDescriptor(descriptor),
    };
  }

  /**
   * Sends one byte and a descriptor, which stays open here.
   *
   * @throws UnixSocketError
   */
  sendDescriptor(sent: OwnedDescriptor): void {
    checked('Sending', this.#addon.socketSendDescriptor(this.number, sent.number));
  }

  /** The peer reads the end of the stream after what was sent. If it has gone, this has no effect. */
  endSending(): void {
    this.#addon.socketEndSending(this.number);
  }

  /**
   * Blocks until something can be sent, or never will be.
   *
   * @returns false on timeout
   */
  awaitSendable(milliseconds: number): boolean {
    return this.#addon.socketAwaitSendable(this.number, milliseconds) === 0;
  }

  /**
   * Calls `onReady` as long as the socket is ready for one of the events, replacing what it was watched for before.
   *
   * @throws UnixSocketError
   */
  watch(events: number, onReady: (events: number) => void): void {
    checked('Watching', this.#addon.watchDescriptor(this.number, events, onReady));
  }

  unwatch(): void {
    this.#addon.unwatchDescriptor(this.number);
  }

  /**
   * Calls `onWaiting` on this thread, in the middle of any JavaScript, each time that a client of a listening socket has
   * waited this long and none has been accepted meanwhile; see native/linux/port_watch.h.
   *
   * @returns false if this Node.js cannot be interrupted
   */
  watchWaiting(milliseconds: number, onWaiting: () => void): boolean {
    return this.#addon.watchWaiting(this.number, milliseconds, onWaiting) === 0;
  }

  /** Stops watching, too: a watch knows the number. */
  override release(): number {
    if (this.isOpen) {
      this.#addon.unwatchDescriptor(this.number);
      this.#addon.unwatchWaiting(this.number);
    }
    return super.release();
  }
}

/** @returns undefined if there is no addon, or it has no sockets, or this runtime cannot watch them */
export function unixSockets(): UnixSockets | undefined {
  if (isOtherRuntime) return undefined;
  const addon = linuxAddon();
  return 'reason' in addon ? undefined : new UnixSockets(addon);
}

function checked(what: string, result: number): number {
  if (result >= 0) return result;
  throw new UnixSocketError(systemErrorName(-result), what);
}

function available(what: string, result: number): number | undefined {
  if (result >= 0) return result;
  const code = systemErrorName(-result);
  if (AGAIN.includes(code)) return undefined;
  throw new UnixSocketError(code, what);
}
