/**
 * A tool to which this process connects. One connection always waits for a request of the tool: each first identifies
 * the process, and then serves one request.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../base/system-code.ts';
import type { UnixSockets } from '../../platform/unix-socket.ts';
import { isPrivatePort } from '../port-folders.ts';
import type { ServerConnection } from './connection.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import { SocketConnection } from './socket-connection.ts';

/** If the tool is not there, or refuses the process. The same interval as in .NET's runtime. */
const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 500;
const DELAY_GROWTH = 1.25;
/** A tool that has ended leaves its socket behind; if it restarts, it has this long, as in .NET's message. */
const REFUSED_MS = 5000;
/** Node.js's error if its permissions forbid connecting: `--permission` without `--allow-net`. */
const NOT_PERMITTED = 'ERR_ACCESS_DENIED';

/** Serves a connection, and reports when its request begins, or that none comes. */
export type ServeAdvertised = (connection: ServerConnection, onRequest: (isThere: boolean) => void) => void;

/** @param isLeftBehind whether a tool has left its socket there */
type OnNobody = (isStaleSocket: boolean) => void;

export class Connector {
  readonly #address: string;
  readonly #sockets: UnixSockets | undefined;
  readonly #greeting: Uint8Array;
  readonly #serve: ServeAdvertised;
  readonly #onNobody: OnNobody;
  /** The connection that waits for a request. */
  #waiting: ServerConnection | undefined;
  #isClosed = false;
  /** Nothing has been listening on the socket since this time. */
  #refusedSince: number | undefined;

  /**
   * Does not keep the process alive.
   *
   * @param address as from `systemAddress`
   * @param sockets undefined for Node.js's own
   * @param greeting the first bytes on each connection
   * @param onNobody called when there is no tool to wait for: the process is not allowed to connect, the socket's
   * folder does not exist, or nothing listens on the socket any more. A tool that appears later is still served
   */
  constructor(
    address: string,
    sockets: UnixSockets | undefined,
    greeting: Uint8Array,
    serve: ServeAdvertised,
    onNobody: OnNobody,
  ) {
    this.#address = address;
    this.#sockets = sockets;
    this.#greeting = greeting;
    this.#serve = serve;
    this.#onNobody = onNobody;
    this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.close();
  }

  async #run(): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!this.#isClosed) {
      if (await this.#offer()) delay = FIRST_DELAY_MS;
      else {
        await new Promise((resolve) => setTimeout(resolve, delay).unref());
        delay = Math.min(delay * DELAY_GROWTH, MAX_DELAY_MS);
      }
    }
  }

  /** @returns whether there was a request */
  async #offer(): Promise<boolean> {
    const connection = await this.#connect();
    if (connection === undefined) return false;
    if (this.#isClosed) {
      connection.close();
      return false;
    }
    this.#waiting = connection;
    connection.send(this.#greeting);
    const isThere = await new Promise<boolean>((resolve) => this.#serve(connection, resolve));
    this.#waiting = undefined;
    return isThere;
  }

  /** @param code the system's error when connecting */
  #isNobodyThere(code: string | undefined): boolean {
    if (code === NOT_PERMITTED) return true;
    // Nor a tool that has not started yet: it created the port before it started the process.
    const isGone = code === 'ENOENT' || code === 'ECONNREFUSED';
    if (isGone && isPrivatePort(this.#address)) {
      this.close();
      return true;
    }
    if (process.platform !== 'win32' && !existsSync(dirname(this.#address))) return true;
    if (code !== 'ECONNREFUSED') {
      this.#refusedSince = undefined;
      return false;
    }
    this.#refusedSince ??= performance.now();
    return performance.now() - this.#refusedSince >= REFUSED_MS;
  }

  /** @returns undefined if nothing listens */
  async #connect(): Promise<ServerConnection | undefined> {
    const sockets = this.#sockets;
    try {
      const connection =
        sockets === undefined
          ? await connectedSocket(this.#address)
          : new DescriptorConnection(sockets.connect(this.#address));
      this.#refusedSince = undefined;
      return connection;
    } catch (error) {
      const code = systemCodeOf(error);
      if (this.#isNobodyThere(code)) this.#onNobody(this.#refusedSince !== undefined);
      return undefined;
    }
  }
}

function connectedSocket(address: string): Promise<ServerConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: address, allowHalfOpen: true });
    socket.unref();
    socket.once('error', reject);
    socket.once('connect', () => resolve(new SocketConnection(socket)));
  });
}
