/** Sessions of a diagnostic port, byte by byte: their streams, and stopping them. */
import { expect } from 'vitest';
import { readSession } from '../../eventpipe/session-trace.ts';
import { ByteConnection, exchange } from './byte-client.ts';
import { message, OK, SERVER, stopTracing, u64 } from './byte-messages.ts';
import { ByteReply } from './byte-reply.ts';

const REPLY_SIZE = 28;

export class ByteStream {
  readonly connection: ByteConnection;
  readonly id: bigint;
  readonly #address: string;

  /** Starts a session; the reply is there when this resolves. */
  static async start(address: string, request: Uint8Array): Promise<ByteStream> {
    const connection = await ByteConnection.open(address);
    const reply = ByteReply.ok(await connection.send(request).take(REPLY_SIZE));
    return new ByteStream(address, connection, reply.u64());
  }

  constructor(address: string, connection: ByteConnection, id: bigint) {
    this.#address = address;
    this.connection = connection;
    this.id = id;
  }

  /** Resolves when the port says that the session has been stopped. */
  async stop(): Promise<void> {
    expect(await exchange(this.#address, stopTracing(this.id))).toEqual(message(SERVER, OK, u64(this.id)));
  }

  /** The trace, which ends with its session. */
  async read() {
    return readSession(await this.connection.takeRest());
  }
}
