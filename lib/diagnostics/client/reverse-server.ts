/**
 * Lets processes connect to a tool, instead of the other way round, so that a tool can attach to a process from its
 * start (`DOTNET_DiagnosticPorts=ADDRESS`). Child processes inherit the variable, and connect, too.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { systemCodeOf } from '../../base/system-code.ts';
import { ADVERTISE_SIZE, decodeAdvertise } from '../../wire/diagnostics-ipc/advertise.ts';
import { PIPE_FOLDER } from '../../wire/diagnostics-ipc/port-name.ts';
import { ArrivedProcess } from './arrived-process.ts';
import { DiagnosticsClientError } from './client-error.ts';
import { ANSWER_TIMEOUT_MS, Connection } from './connection.ts';

export class ReverseServer {
  readonly #server: Server;
  readonly #arrived: Promise<ArrivedProcess>;
  #setArrived: (process: ArrivedProcess) => void = () => {};
  readonly #onLater: (process: ArrivedProcess) => void;
  /** Those that have not identified themselves yet. */
  readonly #strangers = new Set<Socket>();
  /** The key is the runtime's cookie. */
  readonly #processes = new Map<string, ArrivedProcess>();

  private constructor(onLater: (process: ArrivedProcess) => void) {
    this.#onLater = onLater;
    this.#server = createServer((socket) => {
      this.#strangers.add(socket);
      // Connections from other programs are closed.
      this.#greet(socket)
        .catch(() => socket.destroy())
        .finally(() => this.#strangers.delete(socket));
    });
    this.#arrived = new Promise((resolve) => {
      this.#setArrived = resolve;
    });
  }

  /**
   * @param address the path of a Unix socket, or the short or full name of a Windows pipe
   * @param onLater called with each process after the first, which may be waiting to be resumed
   * @throws DiagnosticsClientError
   */
  static async listen(
    address: string,
    onLater: (process: ArrivedProcess) => void = () => {},
  ): Promise<ReverseServer> {
    const reverse = new ReverseServer(onLater);
    const path =
      process.platform === 'win32' && !address.startsWith('\\\\') ? PIPE_FOLDER + address : address;
    await new Promise<void>((resolve, reject) => {
      // Later errors are about connections that could not be accepted.
      reverse.#server.on('error', (error) => reject(listenError(error, address)));
      reverse.#server.listen(path, resolve);
    });
    return reverse;
  }

  /** The first process that connects. */
  arrived(): Promise<ArrivedProcess> {
    return this.#arrived;
  }

  /** Accepts no more connections; those in use stay open. */
  close(): void {
    this.#server.close();
    for (const socket of this.#strangers) socket.destroy();
    for (const arrived of this.#processes.values()) arrived.close();
  }

  async #greet(socket: Socket): Promise<void> {
    const connection = new Connection(socket, 'The process');
    const { runtimeCookie, processId } = decodeAdvertise(
      await connection.read(ADVERTISE_SIZE, ANSWER_TIMEOUT_MS),
    );
    const known = this.#processes.get(runtimeCookie);
    if (known !== undefined) {
      known.add(connection);
      return;
    }
    if (!this.#server.listening) {
      connection.close();
      return;
    }
    const isFirst = this.#processes.size === 0;
    const arrived = new ArrivedProcess(Number(processId));
    this.#processes.set(runtimeCookie, arrived);
    arrived.add(connection);
    if (isFirst) this.#setArrived(arrived);
    else this.#onLater(arrived);
  }
}

function listenError(error: Error, address: string): DiagnosticsClientError {
  const code = systemCodeOf(error);
  const message =
    code === 'EADDRINUSE'
      ? `Something already listens at ${address}, or a file with that name was left behind.`
      : `Nothing can listen at ${address} (${code}).`;
  return new DiagnosticsClientError(code === 'EACCES' ? 'not-permitted' : 'failed', message, {
    cause: error,
  });
}
