/**
 * A session in another process that writes to kernel tracepoints, through a user_events_data descriptor that we pass to
 * it; so it needs no access to the kernel's tracer. It lasts as long as the connection.
 */
import { systemCodeOf } from '../../base/system-code.ts';
import type { OwnedDescriptor } from '../../platform/owned-descriptor.ts';
import { type UnixSocket, unixSockets } from '../../platform/unix-socket.ts';
import { encodeRequest } from '../../wire/diagnostics-ipc/request.ts';
import type { UserEventsTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { connectionOver, connectTo } from './checked-port.ts';
import { DiagnosticsClientError, refusal } from './client-error.ts';
import { ANSWER_TIMEOUT_MS, type Connection, failed } from './connection.ts';

/** The first that supports such sessions. */
const VERSION = 5;

export class PassedSession {
  /** Resolves when the process or the session has ended. */
  readonly ended: Promise<void>;
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
    this.ended = untilEnd(connection);
  }

  /**
   * When this returns, the process writes.
   *
   * @param address of the process's port: the path of a Unix socket
   * @param processId of the process that listens there: the descriptor is passed to no other
   * @param descriptor of user_events_data, open for reading and writing; may be closed afterwards
   * @throws DiagnosticsClientError
   */
  static async start(
    address: string,
    processId: number,
    tracing: UserEventsTracing,
    descriptor: OwnedDescriptor,
  ): Promise<PassedSession> {
    const name = `Process ${processId}`;
    const sockets = unixSockets();
    if (sockets === undefined) {
      throw new DiagnosticsClientError(
        'failed',
        'Passing descriptors to other processes works only on Linux, and needs the native addon.',
      );
    }
    const socket = connectTo(sockets, address, processId);
    send(socket, name, tracing, descriptor);
    const connection = connectionOver(socket, name);
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

function send(
  socket: UnixSocket,
  name: string,
  tracing: UserEventsTracing,
  descriptor: OwnedDescriptor,
): void {
  try {
    const request = encodeRequest({ command: 'CollectTracing', version: VERSION, tracing });
    // A new socket accepts any request at once, unless the system is configured very unusually.
    if (socket.send(request, 0) !== request.length) {
      throw new Error(`there is no room for the request of ${request.length} bytes`);
    }
    socket.sendDescriptor(descriptor);
  } catch (error) {
    // A process that has refused the request does not wait for the descriptor; the reply says why.
    if (systemCodeOf(error) === 'EPIPE') return;
    socket.close();
    throw failed(error, name);
  }
}

async function untilEnd(connection: Connection): Promise<void> {
  // Nothing is sent on it.
  for await (const _ of connection.stream());
}
