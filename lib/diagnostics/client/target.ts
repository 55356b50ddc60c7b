/** A process as a client can reach it. */
import type { Connection } from './connection.ts';

export interface Target {
  /** For messages: `Process 4711`. */
  readonly name: string;
  /** @throws DiagnosticsClientError */
  connect(): Promise<Connection>;
}

/** For a connection, and for a reply that the process has ready. */
export const ANSWER_TIMEOUT_MS = 10_000;
