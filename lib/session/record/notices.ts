/**
 * Hears of new tracepoints from the programs that a recording runs: each connects to an abstract socket,
 * sends the name and a newline, and waits for a byte, which says that its events are recorded from now on, or
 * not wanted. The other side is native/linux/recorder_notice.cc.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** No name is longer. */
const LINE_LIMIT = 512;
/** Whoever says nothing for so long is no program of ours. */
const SILENCE_MS = 5000;
const ANSWER = '\n';

export class Notices {
  /** Of the socket, without the zero byte that makes it abstract: no file, nothing to clean up. */
  readonly address: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(address: string, server: Server) {
    this.address = address;
    this.#server = server;
  }

  /** @param onTracepoint called with each name; when it returns, the program goes on */
  static async listen(onTracepoint: (name: string) => void): Promise<Notices> {
    const server = createServer();
    const notices = new Notices(`tracewright-${process.pid}-${randomBytes(8).toString('hex')}`, server);
    server.on('connection', (socket) => notices.#serve(socket, onTracepoint));
    server.listen(`\0${notices.address}`);
    await once(server, 'listening');
    return notices;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket, onTracepoint: (name: string) => void): void {
    let line = '';
    this.#sockets.add(socket);
    socket.setEncoding('utf8');
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    // A program that has ended in the middle is no error of ours.
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (text: string) => {
      line += text;
      if (line.length > LINE_LIMIT) socket.destroy();
      if (!line.endsWith('\n')) return;
      onTracepoint(line.slice(0, -1));
      socket.end(ANSWER);
    });
  }
}
