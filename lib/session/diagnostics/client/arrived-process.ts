/** A process that connects to a tool: it keeps a connection there that waits for a request, and then makes another. */
import { DiagnosticsClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { ANSWER_TIMEOUT_MS, type Target } from './target.ts';

export class ArrivedProcess implements Target {
  readonly name: string;
  /** As the process itself sees it, in its own namespace. */
  readonly processId: number;
  /** The connection that waits for a request. */
  #idle: Connection | undefined;
  /** Who waits for a connection. */
  readonly #waiting: ((connection: Connection) => void)[] = [];

  constructor(processId: number) {
    this.processId = processId;
    this.name = `Process ${processId}`;
  }

  /** One more connection of this process has come. */
  add(connection: Connection): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting(connection);
      return;
    }
    this.#idle?.close();
    this.#idle = connection;
  }

  async connect(): Promise<Connection> {
    const idle = this.#idle;
    this.#idle = undefined;
    return idle ?? (await this.#next());
  }

  /** Connections in use stay. */
  close(): void {
    this.#idle?.close();
  }

  #next(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const take = (connection: Connection): void => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(new DiagnosticsClientError('ended', `${this.name} does not connect any more.`));
      }, ANSWER_TIMEOUT_MS);
      this.#waiting.push(take);
    });
  }
}
