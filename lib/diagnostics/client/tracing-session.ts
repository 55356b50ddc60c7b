/** A tracing session in another process: its nettrace as it arrives, until the session is stopped. */
import { DiagnosticsClientError } from './client-error.ts';
import type { Connection } from './connection.ts';

/**
 * How long a process may take after it was told to stop, for its last events and its methods (rundown), which takes
 * .NET seconds. A process whose event loop is stuck sends nothing, and one that has not understood sends for ever.
 */
const LIMITS = {
  /** The session has failed after this time without a byte. */
  silenceMs: 5000,
  totalMs: 20_000,
  /** Twice the buffer size of such sessions. */
  bytes: 512e6,
};

export class TracingSession {
  readonly id: bigint;
  /** The bytes of the nettrace. Ends with the session, when it is stopped or the process exits. Read it once. */
  readonly stream: AsyncIterable<Uint8Array>;
  readonly #connection: Connection;
  readonly #requestStop: (signal: AbortSignal) => Promise<void>;
  #stopping: Promise<void> | undefined;
  #isComplete = false;
  #isCutOff = false;
  /** Stops waiting for the process's reply. */
  readonly #left = new AbortController();
  #lastEvents: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** Whether more data is being awaited: the process is not to blame for a slow reader. */
  #isWaiting = false;
  /** Received after the process was asked to stop. */
  #lastBytes = 0;
  readonly #limits: typeof LIMITS;

  /**
   * @param requestStop tells the process to stop, on another connection, until it is cancelled
   * @param limits of what may arrive after that
   */
  constructor(
    id: bigint,
    connection: Connection,
    requestStop: (signal: AbortSignal) => Promise<void>,
    limits = LIMITS,
  ) {
    this.id = id;
    this.#limits = limits;
    this.stream = this.#read(connection.stream());
    this.#connection = connection;
    this.#requestStop = requestStop;
  }

  /** Whether the end of the stream was requested. */
  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Whether the process failed to end the stream in time after the request: what arrived until then is all there is.
   */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** Whether the process lived until the requested end, and has written everything. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Tells the process to write what it still has and end the stream, which must be read to its end meanwhile: the
   * process waits for that. If the session has already ended, this has no effect. A process that does not end the
   * stream in time is given up: see `isCutOff`.
   *
   * @throws DiagnosticsClientError
   */
  stop(): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#stop();
      this.#lastEvents = setTimeout(this.#giveUp, this.#limits.totalMs);
      if (this.#isWaiting) this.#limitSilence();
    }
    return this.#stopping;
  }

  /** Ends the session at once, losing what has not been read. */
  close(): void {
    clearTimeout(this.#lastEvents);
    clearTimeout(this.#silence);
    this.#connection.close();
    this.#left.abort();
  }

  async *#read(stream: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let isAtEnd = false;
    try {
      for (;;) {
        this.#isWaiting = true;
        if (this.isStopped) this.#limitSilence();
        const { done, value } = await stream.next();
        this.#isWaiting = false;
        clearTimeout(this.#silence);
        if (done === true) {
          // The reply to the stop request may follow it.
          isAtEnd = true;
          return;
        }
        if (this.isStopped) this.#lastBytes += value.length;
        yield value;
        if (this.#lastBytes > this.#limits.bytes) this.#giveUp();
      }
    } finally {
      this.#isWaiting = false;
      if (!isAtEnd) this.close();
    }
  }

  #limitSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const received = this.#lastBytes;
      // If this process itself has not run for so long, timers come before what has arrived meanwhile.
      setImmediate(() => {
        if (this.#isWaiting && this.#lastBytes === received) this.#giveUp();
      });
    }, this.#limits.silenceMs);
  }

  readonly #giveUp = (): void => {
    this.#isCutOff = true;
    this.close();
  };

  async #stop(): Promise<void> {
    try {
      await this.#requestStop(this.#left.signal);
      this.#isComplete = true;
    } catch (error) {
      if (this.#left.signal.aborted) return;
      if (error instanceof DiagnosticsClientError && (error.code === 'ended' || error.code === 'refused'))
        return;
      // Nothing else would end the stream.
      this.#connection.close();
      throw error;
    }
  }
}
