/** One connection to a process's diagnostic port: a request, its reply, and the stream that follows. */

import { connect, type Socket } from 'node:net';
import { systemCodeOf } from '../../base/system-code.ts';
import { thrownMessage } from '../../base/value-text.ts';
import { HEADER_SIZE } from '../../wire/diagnostics-ipc/constants.ts';
import { DiagnosticsIpcError } from '../../wire/diagnostics-ipc/error.ts';
import { readHeader } from '../../wire/diagnostics-ipc/message.ts';
import { decodeReply, type Reply } from '../../wire/diagnostics-ipc/reply.ts';
import { DiagnosticsClientError } from './client-error.ts';

/** The system's errors when the peer has gone. */
const GONE = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];

export class Connection {
  /** Messages contain this name: `Process 4711`. */
  readonly #peer: string;
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** What has arrived but has not been read yet. */
  #pending: Uint8Array = new Uint8Array();

  /** @param socket connected */
  constructor(socket: Socket, peer: string) {
    this.#socket = socket;
    this.#peer = peer;
    this.#chunks = socket[Symbol.asyncIterator]();
    // The reader gets the error, and no one else.
    socket.on('error', () => {});
  }

  /**
   * @param address a Unix socket's path, or a Windows pipe's name
   * @throws DiagnosticsClientError
   */
  static async open(address: string, peer: string, timeoutMs: number): Promise<Connection> {
    const socket = connect(address);
    try {
      await connected(socket, timeoutMs);
    } catch (error) {
      socket.destroy();
      throw openError(error, address, peer);
    }
    return new Connection(socket, peer);
  }

  send(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /**
   * @param timeoutMs may be infinite: some replies take as long as the data that the process writes before them
   * @throws DiagnosticsClientError
   */
  async readReply(timeoutMs: number): Promise<Reply> {
    try {
      const header = await this.read(HEADER_SIZE, timeoutMs);
      const rest = await this.read(readHeader(header).size - HEADER_SIZE, timeoutMs);
      return decodeReply(Buffer.concat([header, rest]));
    } catch (error) {
      if (!(error instanceof DiagnosticsIpcError)) throw error;
      throw malformed(error, this.#peer);
    }
  }

  /**
   * This many bytes, few enough to wait for as a whole.
   *
   * @throws DiagnosticsClientError
   */
  async read(size: number, timeoutMs: number): Promise<Uint8Array> {
    const pieces = [this.#pending];
    let length = this.#pending.length;
    let isLate = false;
    const expire = (): void => {
      isLate = true;
      this.#socket.destroy();
    };
    const timer = Number.isFinite(timeoutMs) ? setTimeout(expire, timeoutMs) : undefined;
    try {
      while (length < size) {
        const chunk = await this.#next();
        if (chunk === undefined) throw isLate ? late(this.#peer) : ended(this.#peer);
        pieces.push(chunk);
        length += chunk.length;
      }
    } finally {
      clearTimeout(timer);
    }
    const bytes = Buffer.concat(pieces);
    this.#pending = bytes.subarray(size);
    return bytes.subarray(0, size);
  }

  /** Everything that arrives until the peer closes the connection. Abandoning the iteration closes it, too. */
  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      if (this.#pending.length > 0) yield this.#pending;
      for (;;) {
        const chunk = await this.#next();
        if (chunk === undefined) return;
        yield chunk;
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** @returns undefined at the end, whatever caused it */
  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      if (GONE.includes(systemCodeOf(error) ?? '')) return undefined;
      throw failed(error, this.#peer);
    }
  }
}

function connected(socket: Socket, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timeout')), timeoutMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** Why a connection failed. */
export function openError(error: unknown, address: string, peer: string): DiagnosticsClientError {
  const code = systemCodeOf(error);
  switch (code) {
    case undefined:
      return late(peer);
    case 'EACCES':
    case 'EPERM':
      return new DiagnosticsClientError(
        'not-permitted',
        `${peer} does not let this user open its diagnostic port ${address} (${code}).`,
        { cause: error },
      );
    // A socket without a listener was left behind by a process that could not remove it, or that is just exiting.
    case 'ENOENT':
    case 'ECONNREFUSED':
    case 'ECONNRESET':
      return new DiagnosticsClientError('ended', `${peer} no longer listens at its diagnostic port.`, {
        cause: error,
      });
    default:
      return failed(error, peer);
  }
}

function ended(peer: string): DiagnosticsClientError {
  return new DiagnosticsClientError('ended', `${peer} closed the connection without a reply.`);
}

function late(peer: string): DiagnosticsClientError {
  return new DiagnosticsClientError('timeout', `${peer} does not answer.`);
}

function malformed(error: DiagnosticsIpcError, peer: string): DiagnosticsClientError {
  return new DiagnosticsClientError(
    'malformed',
    `${peer} does not reply in the diagnostics protocol: ${error.message}`,
    { cause: error },
  );
}

export function failed(error: unknown, peer: string): DiagnosticsClientError {
  const reason = thrownMessage(error);
  const message = `The connection to ${peer} failed: ${reason.replace(/\.$/, '')}.`;
  return new DiagnosticsClientError('failed', message, {
    cause: error,
  });
}

/** A process as a client can reach it. */
export interface Target {
  /** Messages contain this name: `Process 4711`. */
  readonly name: string;
  /** @throws DiagnosticsClientError */
  connect(): Promise<Connection>;
}

/** Limits the wait for a connection, and for a reply that the process has ready. */
export const ANSWER_TIMEOUT_MS = 10_000;
