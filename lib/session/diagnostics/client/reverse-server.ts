/**
 * Where a process connects to a tool, instead of the other way round: so a tool can be there from the process's
 * start on (`DOTNET_DiagnosticPorts=ADDRESS`). The first process that comes is the one that is served. It always
 * keeps a connection here that waits for a request.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { ADVERTISE_SIZE, type Advertise, decodeAdvertise } from '../../../wire/diagnostics-ipc/advertise.ts';
import { PIPE_FOLDER } from '../../../wire/diagnostics-ipc/port-name.ts';
import { DiagnosticsClientError, systemCodeOf } from './client-error.ts';
import { Connection } from './connection.ts';
import { ANSWER_TIMEOUT_MS, type Target } from './target.ts';

export class ReverseServer {
  readonly #server: Server;
  readonly #arrived: Promise<Target>;
  #setArrived: (target: Target) => void = () => {};
  #runtimeCookie: string | undefined;
  /** The connection that waits for a request. */
  #idle: Connection | undefined;
  /** Who waits for a connection. */
  readonly #waiting: ((connection: Connection) => void)[] = [];

  private constructor() {
    this.#server = createServer((socket) => {
      // Whoever connects and is none of ours is let go.
      this.#greet(socket).catch(() => socket.destroy());
    });
    this.#arrived = new Promise((resolve) => {
      this.#setArrived = resolve;
    });
  }

  /**
   * @param address a Unix socket's path, or a Windows pipe's name, bare or whole
   * @throws DiagnosticsClientError
   */
  static async listen(address: string): Promise<ReverseServer> {
    const reverse = new ReverseServer();
    const path =
      process.platform === 'win32' && !address.startsWith('\\\\') ? PIPE_FOLDER + address : address;
    await new Promise<void>((resolve, reject) => {
      reverse.#server.once('error', (error) => reject(listenError(error, address)));
      reverse.#server.listen(path, resolve);
    });
    return reverse;
  }

  /** The first process that connects. */
  arrived(): Promise<Target> {
    return this.#arrived;
  }

  /** Lets nobody in any more; connections in use stay. */
  close(): void {
    this.#server.close();
    this.#idle?.close();
  }

  async #greet(socket: Socket): Promise<void> {
    const connection = new Connection(socket, 'The process');
    const { runtimeCookie, processId } = await readAdvertise(connection);
    this.#runtimeCookie ??= runtimeCookie;
    if (this.#runtimeCookie !== runtimeCookie) {
      connection.close();
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting(connection);
    } else {
      this.#idle?.close();
      this.#idle = connection;
    }
    const name = `Process ${processId}`;
    this.#setArrived({ name, connect: () => this.#connection(name) });
  }

  async #connection(name: string): Promise<Connection> {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle !== undefined) return idle;
    return new Promise((resolve, reject) => {
      const take = (connection: Connection): void => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(new DiagnosticsClientError('ended', `${name} does not connect any more.`));
      }, ANSWER_TIMEOUT_MS);
      this.#waiting.push(take);
    });
  }
}

async function readAdvertise(connection: Connection): Promise<Advertise> {
  return decodeAdvertise(await connection.read(ADVERTISE_SIZE, ANSWER_TIMEOUT_MS));
}

function listenError(error: Error, address: string): DiagnosticsClientError {
  const code = systemCodeOf(error);
  const message =
    code === 'EADDRINUSE'
      ? `Something listens at ${address} already, or a file of that name was left behind.`
      : `Nothing can listen at ${address} (${code}).`;
  return new DiagnosticsClientError(code === 'EACCES' ? 'not-permitted' : 'failed', message, {
    cause: error,
  });
}
