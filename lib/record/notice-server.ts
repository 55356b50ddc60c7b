/**
 * Answers the programs that a recording runs. Each connects to our socket, sends a line, and waits for a byte:
 *
 * - the name of a tracepoint: the answer says that its events are recorded from now on, or not wanted
 * - an empty line: the answer comes with a descriptor of the kernel's tracer, for programs that may not open it
 *
 * The peer is native/linux/recorder_notice.cc. Only the user who owns the programs can connect: the kernel lets no one
 * else write to the socket, and the peer is checked anyway.
 */
import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from '../base/is-alive.ts';
import { systemCodeOf, systemCodeText } from '../base/system-code.ts';
import { Acceptor } from '../platform/acceptor.ts';
import type { OwnedDescriptor } from '../platform/owned-descriptor.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { Ready, type UnixSocket, type UnixSockets, unixSockets } from '../platform/unix-socket.ts';

/** The maximum length of a name. */
const LINE_LIMIT = 512;
/** A peer that says nothing for this long is not one of our programs. */
const SILENCE_MS = 5000;
/** How many programs are served at once; others wait briefly. */
const MAX_CONNECTIONS = 64;
const NEWLINE = 10;
const ANSWER = Uint8Array.of(NEWLINE);
const FOLDER_PREFIX = 'tracewright-record-';
const SOCKET_NAME = 'socket';
/** Limits the path of the folder around the socket's folder: the socket's path must fit into a `sockaddr_un`. */
const MAX_PARENT_LENGTH = 60;
const ROOT = 0;

export interface NoticesOptions {
  /** Whose programs are answered, besides our own user's. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Called with each name; when it returns, the program continues. */
  readonly onTracepoint: (name: string) => void;
  /** A descriptor of the kernel's tracer, closed once it has been sent. @throws the system's error */
  readonly openTracer: () => OwnedDescriptor;
}

export class NoticeServer {
  /** The address of the socket. */
  readonly address: string;
  readonly #options: NoticesOptions;
  readonly #folder: string;
  readonly #acceptor: Acceptor;
  /** The value is the timer that stops waiting for the connection. */
  readonly #connections = new Map<UnixSocket, NodeJS.Timeout>();
  #isClosed = false;
  readonly #onExit = () => this.#remove();

  /** @throws RecorderError */
  constructor(options: NoticesOptions) {
    this.#options = options;
    const sockets = unixSockets();
    if (sockets === undefined) throw new RecorderError('The native addon is missing.');
    const parent = parentFolder();
    removeForsaken(parent, sockets);
    try {
      this.#folder = mkdtempSync(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
      this.address = join(this.#folder, SOCKET_NAME);
      process.once('exit', this.#onExit);
      const listener = sockets.listen(this.address);
      this.#acceptor = new Acceptor(
        listener,
        (connection) => this.#serve(connection),
        () => this.#connections.size < MAX_CONNECTIONS,
      );
      this.#admit();
    } catch (error) {
      throw new RecorderError(`No socket could be made in ${parent} (${systemCodeText(error)}).`);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#acceptor.close();
    for (const connection of [...this.#connections.keys()]) this.#end(connection);
    process.off('exit', this.#onExit);
    this.#remove();
  }

  /** We keep the folder, so that no one puts anything else there. */
  #admit(): void {
    const { uid, gid } = this.#options.user;
    if (uid === process.geteuid?.()) return;
    chownSync(this.address, uid, gid);
    chmodSync(this.#folder, 0o711);
  }

  #remove(): void {
    removeFolder(this.#folder);
  }

  #serve(connection: UnixSocket): void {
    const users = [ROOT, process.geteuid?.(), this.#options.user.uid];
    if (!users.includes(connection.connectedUser())) {
      connection.close();
      return;
    }
    this.#connections.set(
      connection,
      setTimeout(() => this.#end(connection), SILENCE_MS),
    );
    const line = new Uint8Array(LINE_LIMIT);
    let length = 0;
    connection.watch(Ready.ToReceive, () => {
      try {
        const size = connection.receive(line, length);
        if (size === undefined) return;
        length += size;
        const end = line.subarray(0, length).indexOf(NEWLINE);
        if (end >= 0) this.#answer(connection, Buffer.from(line.subarray(0, end)).toString());
        if (end >= 0 || size === 0 || length === LINE_LIMIT) this.#end(connection);
      } catch {
        // A program that ends halfway is not our error.
        this.#end(connection);
      }
    });
  }

  #answer(connection: UnixSocket, name: string): void {
    if (name !== '') {
      this.#options.onTracepoint(name);
      connection.send(ANSWER, 0);
      return;
    }
    const tracer = this.#options.openTracer();
    try {
      connection.sendDescriptor(tracer);
    } finally {
      tracer.close();
    }
  }

  #end(connection: UnixSocket): void {
    clearTimeout(this.#connections.get(connection));
    this.#connections.delete(connection);
    connection.close();
  }
}

function parentFolder(): string {
  const folder = resolve(tmpdir());
  return Buffer.byteLength(folder) > MAX_PARENT_LENGTH ? '/tmp' : folder;
}

/** Removes the leftovers of killed recordings of our user. */
function removeForsaken(parent: string, sockets: UnixSockets): void {
  for (const name of readdirSync(parent)) {
    const processId = new RegExp(`^${FOLDER_PREFIX}(\\d+)-\\w{6}$`).exec(name)?.[1];
    if (processId === undefined) continue;
    const folder = join(parent, name);
    const status = lstatSync(folder, { throwIfNoEntry: false });
    if (status?.isDirectory() !== true || status.uid !== process.geteuid?.()) continue;
    // A container that shares the folder has its own processes.
    if (!isAlive(Number(processId)) && isForsaken(join(folder, SOCKET_NAME), sockets)) removeFolder(folder);
  }
}

function isForsaken(address: string, sockets: UnixSockets): boolean {
  try {
    sockets.connect(address).close();
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ECONNREFUSED';
  }
}

function removeFolder(folder: string): void {
  try {
    unlinkSync(join(folder, SOCKET_NAME));
  } catch {
    // There was none.
  }
  try {
    rmdirSync(folder);
  } catch {
    // It has gone.
  }
}
