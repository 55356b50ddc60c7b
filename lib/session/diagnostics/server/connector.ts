/**
 * A tool that this process connects to. There is always a connection that waits for a request of the tool: each
 * says first who the process is, and serves one request.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { UnixSockets } from '../../../platform/unix-socket.ts';
import { systemCodeOf } from '../system-code.ts';
import type { ServerConnection } from './connection.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import { SocketConnection } from './socket-connection.ts';

/** Where the tool is not there, or does not want the process. As .NET's runtime has it. */
const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 500;
const DELAY_GROWTH = 1.25;
/** What Node.js says where its permissions keep a process from connecting: `--permission` without `--allow-net`. */
const NOT_PERMITTED = 'ERR_ACCESS_DENIED';

/** Serves a connection, and tells when its request begins, or that none comes. */
export type ServeAdvertised = (connection: ServerConnection, onRequest: (isThere: boolean) => void) => void;

export class Connector {
  readonly #address: string;
  readonly #sockets: UnixSockets | undefined;
  readonly #greeting: Uint8Array;
  readonly #serve: ServeAdvertised;
  readonly #onNobody: () => void;
  /** The connection that waits for a request. */
  #waiting: ServerConnection | undefined;
  #isClosed = false;

  /**
   * Does not keep the process running.
   *
   * @param address as of `systemAddress`
   * @param sockets undefined: those of Node.js
   * @param greeting what each connection begins with
   * @param onNobody called when the process may never connect, or not even the socket's folder is there: a tool of a
   *   folder of its own has ended, and this process was started by what it has left behind
   */
  constructor(
    address: string,
    sockets: UnixSockets | undefined,
    greeting: Uint8Array,
    serve: ServeAdvertised,
    onNobody: () => void,
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

  #hasFolder(): boolean {
    return process.platform === 'win32' || existsSync(dirname(this.#address));
  }

  /** @returns undefined where nobody listens */
  async #connect(): Promise<ServerConnection | undefined> {
    const sockets = this.#sockets;
    try {
      return sockets === undefined
        ? await connectedSocket(this.#address)
        : new DescriptorConnection(sockets, sockets.connect(this.#address));
    } catch (error) {
      if (systemCodeOf(error) === NOT_PERMITTED || !this.#hasFolder()) this.#onNobody();
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
