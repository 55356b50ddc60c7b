/** A client of a diagnostic port that deals only in bytes: what it sends, and what it receives until the end. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What nothing here takes, unless it hangs. */
const LIMIT = 10_000;
/** Where the queue of connections that wait to be accepted is full, Node.js does not wait for a place in it. */
const QUEUE_IS_FULL = 'EAGAIN';

export class ByteConnection {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  /** @throws the system's error where nobody listens */
  static async open(path: string): Promise<ByteConnection> {
    const deadline = performance.now() + LIMIT;
    for (;;) {
      try {
        return await ByteConnection.#tryOpen(path);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== QUEUE_IS_FULL || performance.now() > deadline) throw error;
        await delay(5);
      }
    }
  }

  static #tryOpen(path: string): Promise<ByteConnection> {
    const socket = connect(path);
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new ByteConnection(socket));
      });
    });
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    // A peer that closes before it has read everything resets the connection: an end like others.
    socket.on('error', () => this.#end());
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#end());
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get received(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  send(bytes: Uint8Array): this {
    this.#socket.write(bytes);
    return this;
  }

  /** Says that nothing more will be sent; still receives. */
  finish(): this {
    this.#socket.end();
    return this;
  }

  /** From now on what comes is left where it is, until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The next bytes, exactly so many. */
  async take(count: number): Promise<Buffer> {
    await this.#until(() => this.received >= count || this.#hasEnded, `${count} bytes`);
    if (this.received < count) throw new Error(`The port closed after ${this.received} of ${count} bytes.`);
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes.subarray(count)];
    return bytes.subarray(0, count);
  }

  /** What is still to come until the port closes the connection. */
  async takeRest(limit = LIMIT): Promise<Buffer> {
    await this.#until(() => this.#hasEnded, 'the end', limit);
    return Buffer.concat(this.#chunks.splice(0));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async #until(isSo: () => boolean, what: string, limit = LIMIT): Promise<void> {
    const deadline = performance.now() + limit;
    while (!isSo()) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`No sign of ${what} in ${limit} ms; ${this.received} bytes came.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** Sends the bytes and takes everything that comes back until the port closes the connection, as it must. */
export async function exchange(path: string, bytes: Uint8Array): Promise<Buffer> {
  const connection = await ByteConnection.open(path);
  try {
    return await connection.send(bytes).takeRest();
  } finally {
    connection.destroy();
  }
}
