/** A session of tracing in another process: its nettrace as it comes, until it is stopped. */
import { DiagnosticsClientError } from './client-error.ts';
import type { Connection } from './connection.ts';

/**
 * What a process has after it was asked to stop: its last events, and what it says of its methods (rundown), which
 * takes .NET seconds. One whose event loop is stuck sends nothing, and one that has not understood sends for ever.
 */
const LIMITS = {
  /** Without a byte. */
  silenceMs: 5000,
  totalMs: 20_000,
  /** Twice what such sessions buffer. */
  bytes: 512e6,
};

export class TracingSession {
  readonly id: bigint;
  /** The nettrace's bytes. Ends with the session, be it stopped or the process ended. To be read once. */
  readonly stream: AsyncIterable<Uint8Array>;
  readonly #connection: Connection;
  readonly #requestStop: (signal: AbortSignal) => Promise<void>;
  #stopping: Promise<void> | undefined;
  #isComplete = false;
  #isCutOff = false;
  /** Nobody waits for the process's reply any more. */
  readonly #left = new AbortController();
  #lastEvents: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** Whether more is waited for: of a reader who takes his time, the process is not to blame. */
  #isWaiting = false;
  /** That came after the process was asked to stop. */
  #lastBytes = 0;
  readonly #limits: typeof LIMITS;

  /**
   * @param requestStop asks the process, on another connection, until it is told to leave it
   * @param limits of what may come after that
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

  /** Whether the end of the stream was asked for. */
  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  /** Whether the process did not end the stream in time when it was asked to: what came until then is all there is. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** Whether the process was there to the end that was asked for, and has written all that it had. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Has the process write what it still has, and end the stream, which must be read to its end meanwhile: the
   * process waits for that. Where the session has ended by itself, nothing happens. A process that does not end the
   * stream in time is left alone: see `isCutOff`.
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
          // The reply to being stopped may come behind it.
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
    this.#silence = setTimeout(this.#giveUp, this.#limits.silenceMs);
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
