/**
 * The addon's Unix sockets: they read exactly as many bytes as requested, receive descriptors that another process
 * sends, and never keep this process alive. Node.js's own do none of this. Linux only; see native/linux/unix_socket.h
 * and native/descriptor_watches.h.
 */
import { closeSync } from 'node:fs';
import { type Addon, loadAddon } from './addon.ts';
import { systemErrorName } from './recorder-reasons.ts';

interface SocketAddon extends Addon {
  socketListen(path: string): number;
  socketConnect(path: string): number;
  socketAccept(listener: number): number;
  socketListeningProcess(descriptor: number): number;
  socketConnectedUser(descriptor: number): number;
  socketReceive(descriptor: number, bytes: Uint8Array, offset: number): number;
  socketSend(descriptor: number, bytes: Uint8Array, offset: number): number;
  socketReceiveDescriptor(descriptor: number): { readonly size: number; readonly descriptor: number };
  socketSendDescriptor(descriptor: number, sent: number): number;
  socketEndSending(descriptor: number): number;
  socketAwaitSendable(descriptor: number, milliseconds: number): number;
  watchDescriptor(descriptor: number, events: number, onReady: (events: number) => void): number;
  unwatchDescriptor(descriptor: number): void;
  watchWaiting(listener: number, milliseconds: number, onWaiting: () => void): number;
  unwatchWaiting(listener: number): void;
  mapLikeDotNet(): number;
}

/** What a descriptor can be watched for, and reported ready for. */
export const Ready = { ToReceive: 1, ToSend: 2 } as const;

/** A system call that failed. */
export class UnixSocketError extends Error {
  override readonly name = 'UnixSocketError';
  /** Such as `EADDRINUSE`. */
  readonly code: string;

  constructor(code: string, what: string) {
    super(`${what} failed (${code}).`);
    this.code = code;
  }
}

/** Nothing is available at present, or there is no room. */
const AGAIN = ['EAGAIN', 'EWOULDBLOCK'];

/** The functions work on descriptors, which the caller closes. */
export class UnixSockets {
  readonly #addon: SocketAddon;

  constructor(addon: SocketAddon) {
    this.#addon = addon;
  }

  /**
   * Listens on a path to which only this process's user may connect.
   *
   * @throws UnixSocketError
   */
  listen(path: string): number {
    return checked('Listening', this.#addon.socketListen(path));
  }

  /** @throws UnixSocketError */
  connect(path: string): number {
    return checked('Connecting', this.#addon.socketConnect(path));
  }

  /**
   * The next connection; undefined if none is waiting.
   *
   * @throws UnixSocketError
   */
  accept(listener: number): number | undefined {
    return available('Accepting', this.#addon.socketAccept(listener));
  }

  /**
   * The process that listens on the other end of the connection; 0 if this process cannot see it.
   *
   * @throws UnixSocketError
   */
  listeningProcess(descriptor: number): number {
    return checked('Identifying the peer', this.#addon.socketListeningProcess(descriptor));
  }

  /**
   * The user id of the process that has connected.
   *
   * @throws UnixSocketError
   */
  connectedUser(descriptor: number): number {
    return checked('Identifying the peer', this.#addon.socketConnectedUser(descriptor));
  }

  /**
   * Fills the bytes from the offset, as far as data is available.
   *
   * @returns how many bytes were read; 0 at the end of the stream; undefined if nothing is available at present
   * @throws UnixSocketError
   */
  receive(descriptor: number, bytes: Uint8Array, offset: number): number | undefined {
    return available('Receiving', this.#addon.socketReceive(descriptor, bytes, offset));
  }

  /**
   * Sends the bytes from the offset, as far as there is room.
   *
   * @returns how many were accepted; undefined if there is no room at present
   * @throws UnixSocketError
   */
  send(descriptor: number, bytes: Uint8Array, offset: number): number | undefined {
    return available('Sending', this.#addon.socketSend(descriptor, bytes, offset));
  }

  /**
   * Receives one byte, and the descriptor sent with it.
   *
   * @returns `size` as for `receive`
   * @throws UnixSocketError
   */
  receiveDescriptor(descriptor: number): {
    readonly size: number | undefined;
    readonly descriptor: number | undefined;
  } {
    const { size, descriptor: received } = this.#addon.socketReceiveDescriptor(descriptor);
    return {
      size: available('Receiving', size),
      descriptor: received < 0 ? undefined : received,
    };
  }

  /**
   * Sends one byte and a descriptor, which stays open here.
   *
   * @throws UnixSocketError
   */
  sendDescriptor(descriptor: number, sent: number): void {
    checked('Sending', this.#addon.socketSendDescriptor(descriptor, sent));
  }

  /** The peer reads the end of the stream after what was sent. If it has gone, this has no effect. */
  endSending(descriptor: number): void {
    this.#addon.socketEndSending(descriptor);
  }

  /**
   * Blocks until something can be sent, or never will be.
   *
   * @returns false on timeout
   */
  awaitSendable(descriptor: number, milliseconds: number): boolean {
    return this.#addon.socketAwaitSendable(descriptor, milliseconds) === 0;
  }

  /**
   * Calls `onReady` as long as the descriptor is ready for one of the events, replacing what it was watched for before.
   *
   * @throws UnixSocketError
   */
  watch(descriptor: number, events: number, onReady: (events: number) => void): void {
    checked('Watching', this.#addon.watchDescriptor(descriptor, events, onReady));
  }

  unwatch(descriptor: number): void {
    this.#addon.unwatchDescriptor(descriptor);
  }

  /** Stops watching, and closes the descriptor. */
  close(descriptor: number): void {
    this.#addon.unwatchDescriptor(descriptor);
    closeSync(descriptor);
  }

  /**
   * Calls `onWaiting` on this thread, in the middle of any JavaScript, each time that a client has waited this long and
   * none has been accepted meanwhile; see native/linux/port_watch.h.
   *
   * @returns false if this Node.js cannot be interrupted
   */
  watchWaiting(listener: number, milliseconds: number, onWaiting: () => void): boolean {
    return this.#addon.watchWaiting(listener, milliseconds, onWaiting) === 0;
  }

  /** Call this before closing the listener. */
  unwatchWaiting(listener: number): void {
    this.#addon.unwatchWaiting(listener);
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

/** @returns undefined if there is no addon, or it has no sockets */
export function unixSockets(): UnixSockets | undefined {
  const addon = loadAddon();
  return 'socketListen' in addon ? new UnixSockets(addon as SocketAddon) : undefined;
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
