/** A session of tracing in another process: its nettrace as it comes, until it is stopped. */
import { DiagnosticsClientError } from './client-error.ts';
import type { Connection } from './connection.ts';

export class TracingSession {
  readonly id: bigint;
  /** The nettrace's bytes. Ends with the session, be it stopped or the process ended. To be read once. */
  readonly stream: AsyncIterable<Uint8Array>;
  readonly #connection: Connection;
  readonly #requestStop: () => Promise<void>;
  #stopping: Promise<void> | undefined;
  #isComplete = false;

  /** @param requestStop asks the process, on another connection */
  constructor(id: bigint, connection: Connection, requestStop: () => Promise<void>) {
    this.id = id;
    this.stream = connection.stream();
    this.#connection = connection;
    this.#requestStop = requestStop;
  }

  /** Whether the end of the stream was asked for. */
  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  /** Whether the process was there to the end that was asked for, and has written all that it had. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Has the process write what it still has, and end the stream, which must be read to its end meanwhile: the
   * process waits for that. Where the session has ended by itself, nothing happens.
   *
   * @throws DiagnosticsClientError
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Ends the session at once, losing what has not been read. */
  close(): void {
    this.#connection.close();
  }

  async #stop(): Promise<void> {
    try {
      await this.#requestStop();
      this.#isComplete = true;
    } catch (error) {
      if (error instanceof DiagnosticsClientError && (error.code === 'ended' || error.code === 'refused'))
        return;
      // Nothing else would end the stream.
      this.#connection.close();
      throw error;
    }
  }
}
