/**
 * Unix sockets of the addon: they read as many bytes as they are asked for and no more, receive descriptors that
 * another process sends, and never keep this process running. Node.js's own do neither. On Linux only; see
 * native/linux/unix_socket.h and native/descriptor_watches.h.
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
  mapLikeDotNet(): number;
}

/** What a descriptor can be watched for, and is told to be ready for. */
export const Ready = { ToReceive: 1, ToSend: 2 } as const;

/** What the system says to a call that failed. */
export class UnixSocketError extends Error {
  override readonly name = 'UnixSocketError';
  /** As `EADDRINUSE`. */
  readonly code: string;

  constructor(code: string, what: string) {
    super(`${what} failed (${code}).`);
    this.code = code;
  }
}

/** There is nothing at present, or no room. */
const AGAIN = ['EAGAIN', 'EWOULDBLOCK'];

/** All of it works on descriptors, which the caller closes. */
export class UnixSockets {
  readonly #addon: SocketAddon;

  constructor(addon: SocketAddon) {
    this.#addon = addon;
  }

  /**
   * Listens at a path, which only this process's user may connect to.
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
   * The next connection; undefined: none waits.
   *
   * @throws UnixSocketError
   */
  accept(listener: number): number | undefined {
    return available('Accepting', this.#addon.socketAccept(listener));
  }

  /**
   * The process that listens where the descriptor is connected; 0: one that this process cannot see.
   *
   * @throws UnixSocketError
   */
  listeningProcess(descriptor: number): number {
    return checked('Asking for the other side', this.#addon.socketListeningProcess(descriptor));
  }

  /**
   * The id of the user whose process has connected.
   *
   * @throws UnixSocketError
   */
  connectedUser(descriptor: number): number {
    return checked('Asking for the other side', this.#addon.socketConnectedUser(descriptor));
  }

  /**
   * Fills the bytes from the offset on, as far as there is something.
   *
   * @returns how many came; 0: the other side sends no more; undefined: there is nothing at present
   * @throws UnixSocketError
   */
  receive(descriptor: number, bytes: Uint8Array, offset: number): number | undefined {
    return available('Receiving', this.#addon.socketReceive(descriptor, bytes, offset));
  }

  /**
   * Sends the bytes from the offset on, as far as there is room.
   *
   * @returns how many were taken; undefined: there is no room at present
   * @throws UnixSocketError
   */
  send(descriptor: number, bytes: Uint8Array, offset: number): number | undefined {
    return available('Sending', this.#addon.socketSend(descriptor, bytes, offset));
  }

  /**
   * Takes one byte, and the descriptor that was sent with it.
   *
   * @returns `size` as of `receive`
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
   * Sends one byte, and a descriptor with it, which stays open here.
   *
   * @throws UnixSocketError
   */
  sendDescriptor(descriptor: number, sent: number): void {
    checked('Sending', this.#addon.socketSendDescriptor(descriptor, sent));
  }

  /** The other side reads the end behind what was sent. Where it is gone, nothing happens. */
  endSending(descriptor: number): void {
    this.#addon.socketEndSending(descriptor);
  }

  /**
   * Blocks until something can be sent, or nothing ever will be.
   *
   * @returns false where it takes longer than this
   */
  awaitSendable(descriptor: number, milliseconds: number): boolean {
    return this.#addon.socketAwaitSendable(descriptor, milliseconds) === 0;
  }

  /**
   * Has `onReady` called as long as the descriptor is ready for one of the events, in place of what it was watched
   * for before.
   *
   * @throws UnixSocketError
   */
  watch(descriptor: number, events: number, onReady: (events: number) => void): void {
    checked('Watching', this.#addon.watchDescriptor(descriptor, events, onReady));
  }

  unwatch(descriptor: number): void {
    this.#addon.unwatchDescriptor(descriptor);
  }

  /** Ends the watching, and closes the descriptor. */
  close(descriptor: number): void {
    this.#addon.unwatchDescriptor(descriptor);
    closeSync(descriptor);
  }

  /**
   * Gives the process the kind of mapping by which record-trace knows a process of .NET; see
   * native/linux/executable_mapping.h.
   *
   * @throws UnixSocketError
   */
  mapLikeDotNet(): void {
    checked('Mapping executable memory', this.#addon.mapLikeDotNet());
  }
}

/** @returns undefined where the addon has none, or cannot be loaded */
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
