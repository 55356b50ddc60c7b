/**
 * A session of another process that writes to tracepoints of the kernel, through a descriptor of user_events_data
 * that we pass to it: so it needs no rights on the kernel's tracer. It lasts as long as the connection.
 */
import { Socket } from 'node:net';
import { systemCodeOf } from '../../base/system-code.ts';
import { type UnixSockets, unixSockets } from '../../platform/unix-socket.ts';
import { encodeRequest } from '../../wire/diagnostics-ipc/request.ts';
import type { UserEventsTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { DiagnosticsClientError, refusal } from './client-error.ts';
import { ANSWER_TIMEOUT_MS, Connection, failed, openError } from './connection.ts';

/** The first that knows such sessions. */
const VERSION = 5;

export class PassedSession {
  /** When the process has ended, or the session. */
  readonly ended: Promise<void>;
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
    this.ended = untilEnd(connection);
  }

  /**
   * When this returns, the process writes.
   *
   * @param address of the process's port, a Unix socket's path
   * @param processId of the process that listens there: nobody else is given the descriptor
   * @param descriptor of user_events_data, open to read and write; it may be closed afterwards
   * @throws DiagnosticsClientError
   */
  static async start(
    address: string,
    processId: number,
    tracing: UserEventsTracing,
    descriptor: number,
  ): Promise<PassedSession> {
    const name = `Process ${processId}`;
    const sockets = unixSockets();
    if (sockets === undefined) {
      throw new DiagnosticsClientError(
        'failed',
        'Descriptors can be passed to other processes on Linux only, and with the native addon.',
      );
    }
    const socket = connect(sockets, address, name);
    // Anybody can make a file of the name that is looked for.
    if (sockets.listeningProcess(socket) !== processId) {
      sockets.close(socket);
      throw new DiagnosticsClientError(
        'failed',
        `The diagnostic port ${address} is not that of process ${processId}: another one listens there.`,
      );
    }
    send(sockets, socket, name, tracing, descriptor);
    const connection = new Connection(new Socket({ fd: socket, readable: true, writable: true }), name);
    try {
      const reply = await connection.readReply(ANSWER_TIMEOUT_MS);
      if (reply.isOk) return new PassedSession(connection);
      throw refusal(name, `CollectTracing${VERSION}`, reply);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Ends the session. */
  close(): void {
    this.#connection.close();
  }
}

function connect(sockets: UnixSockets, address: string, name: string): number {
  try {
    return sockets.connect(address);
  } catch (error) {
    throw openError(error, address, name);
  }
}

function send(
  sockets: UnixSockets,
  socket: number,
  name: string,
  tracing: UserEventsTracing,
  descriptor: number,
): void {
  try {
    const request = encodeRequest({ command: 'CollectTracing', version: VERSION, tracing });
    // No request is larger than what a fresh socket takes at once, unless the system is set up very oddly.
    if (sockets.send(socket, request, 0) !== request.length) {
      throw new Error(`the request of ${request.length} bytes has no room`);
    }
    sockets.sendDescriptor(socket, descriptor);
  } catch (error) {
    // Whoever has refused the request does not wait for the descriptor; why, is in the reply.
    if (systemCodeOf(error) === 'EPIPE') return;
    sockets.close(socket);
    throw failed(error, name);
  }
}

async function untilEnd(connection: Connection): Promise<void> {
  // Nothing is sent there.
  for await (const _ of connection.stream());
}
