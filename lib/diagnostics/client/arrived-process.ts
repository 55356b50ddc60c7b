/**
 * A process that connects to a tool: it keeps one connection open that waits for a request, and replaces it once used.
 */
import { DiagnosticsClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { ANSWER_TIMEOUT_MS, type Target } from './connection.ts';

interface Waiting {
  readonly take: (connection: Connection) => void;
  readonly giveUp: () => void;
}

export class ArrivedProcess implements Target {
  readonly name: string;
  /** The id in the process's own namespace. */
  readonly processId: number;
  /** The connection that waits for a request. */
  #idle: Connection | undefined;
  /** Those that wait for a connection. */
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(processId: number) {
    this.processId = processId;
    this.name = `Process ${processId}`;
  }

  /** Adds another connection of this process. */
  add(connection: Connection): void {
    if (this.#isClosed) {
      connection.close();
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting.take(connection);
      return;
    }
    this.#idle?.close();
    this.#idle = connection;
  }

  async connect(): Promise<Connection> {
    if (this.#isClosed) throw this.#gone();
    const idle = this.#idle;
    this.#idle = undefined;
    return idle ?? (await this.#next());
  }

  /** Stops waiting for connections. Those in use stay open. */
  close(): void {
    this.#isClosed = true;
    this.#idle?.close();
    for (const waiting of [...this.#waiting]) waiting.giveUp();
  }

  #next(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        clearTimeout(timer);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(this.#gone());
      };
      const take = (connection: Connection): void => {
        clearTimeout(timer);
        resolve(connection);
      };
      const waiting = { take, giveUp };
      const timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS);
      this.#waiting.push(waiting);
    });
  }

  #gone(): DiagnosticsClientError {
    return new DiagnosticsClientError('ended', `${this.name} no longer connects.`);
  }
}
