import type { OwnedDescriptor } from '../../platform/owned-descriptor.ts';
import type { UnixSocket } from '../../platform/unix-socket.ts';

/** One connection with a client, of either kind. The client may disappear at any time: nothing here throws. */
export interface ServerConnection {
  /** This many bytes; fewer if the client sends no more, or on timeout. One call at a time. */
  read(size: number): Promise<Uint8Array>;
  /**
   * The descriptor that the client sends after its request, which the caller then owns; undefined if it sent none.
   * Absent where descriptors cannot be received.
   */
  readonly receiveDescriptor?: () => Promise<OwnedDescriptor | undefined>;
  /** Ends the pending read, which returns what has arrived. Anything later is discarded. */
  stopReading(): void;
  /**
   * Sends the bytes, in the order of the calls.
   *
   * @param onSent called once, when the system has accepted them or never will; before this returns if possible
   */
  send(bytes: Uint8Array, onSent?: () => void): void;
  /** Closes the connection when the client does. Call this after everything has been read. */
  closeWithClient(): void;
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>;
  /**
   * Sends everything before it returns, however slowly the client reads; a connection whose client reads nothing for 10
   * seconds is closed. Absent where sending cannot block.
   */
  readonly drain?: () => void;
  /** Closes when everything has been sent and the client has closed, too; or after a short time. */
  end(): void;
  close(): void;
  /**
   * The process is exiting: pending data is sent at once, and so is later data.
   *
   * @param deadline by performance.now(): how long to wait for a client that does not read
   */
  hurry(deadline: number): void;
}

/** Clients connect to this process through it. */
export interface Listener {
  /** Its socket, if the addon provides it. */
  readonly socket?: UnixSocket;
  /** Removes the socket's file; connections stay open. */
  close(): void;
}

export type OnConnection = (connection: ServerConnection) => void;

/** How long clients may take to close once they have their reply. */
export const LINGER_MS = 1000;
/** When the process exits, a client that reads nothing for this long is not waited for, to leave time for the others. */
export const EXIT_STALL_MS = 200;
