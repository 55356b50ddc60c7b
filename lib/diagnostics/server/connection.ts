/** One connection with a client, however it was made. The client may be gone at any time: nothing here throws. */
export interface ServerConnection {
  /**
   * So many bytes; fewer where the client sends no more, or time is up. One call at a time.
   */
  read(size: number): Promise<Uint8Array>;
  /**
   * The descriptor that the client sends behind its request, which is the caller's then; undefined: it sent none.
   * Not there where descriptors cannot be received.
   */
  readonly receiveDescriptor?: () => Promise<number | undefined>;
  /** Ends the reading that is going on: it has what has come. What comes later is thrown away. */
  stopReading(): void;
  /**
   * Sends the bytes, one call's behind another's.
   *
   * @param onSent called once, when the system has taken them, or never will; before this returns where it can be
   */
  send(bytes: Uint8Array, onSent?: () => void): void;
  /** Once all is read: has the connection closed when the client closes it. */
  closeWithClient(): void;
  /** Resolves when the connection is closed, by whomever. */
  readonly closed: Promise<void>;
  /**
   * Sends everything before it returns, however slowly the client reads; a connection whose client takes nothing for
   * 10 seconds is closed. Not there where sending cannot be waited for.
   */
  readonly drain?: () => void;
  /** Closes when everything is sent and the client has closed, too; or after a moment. */
  end(): void;
  close(): void;
  /**
   * The process exits: what was sent goes out at once, and so does what will be.
   *
   * @param deadline by performance.now(): a client that does not read is waited for until then
   */
  hurry(deadline: number): void;
}

/** Where clients connect to this process. */
export interface Listener {
  /** Takes the socket's file away; connections stay. */
  close(): void;
}

export type OnConnection = (connection: ServerConnection) => void;

/** What clients may take to close, once they have their reply. */
export const LINGER_MS = 1000;
