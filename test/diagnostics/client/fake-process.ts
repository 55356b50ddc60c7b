/**
 * A process with a diagnostic port that replies as a .NET process does, byte by byte: written by hand from the
 * protocol's document and recordings of .NET's tools, without any of the code under test.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex as hexBytes, text, u32, u64 } from '../server/byte-messages.ts';

/** A command as `set/id` in hex, as `04/08`. */
type Command = string;

/** @returns the reply; undefined: none comes */
export type Answer = (request: Buffer, socket: Socket, fake: FakeProcess) => Buffer | undefined;

export const COOKIE = '00112233-4455-6677-8899-aabbccddeeff';
const COOKIE_BYTES = Buffer.from('33221100554477668899aabbccddeeff', 'hex');
export const SESSION_ID = 0x1122334455667788n;
const UNKNOWN_COMMAND = 0x80131385;

export function message(set: number, id: number, ...payload: Buffer[]): Buffer {
  const body = Buffer.concat(payload);
  const head = Buffer.alloc(20);
  head.write('DOTNET_IPC_V1');
  head.writeUInt16LE(20 + body.length, 14);
  head[16] = set;
  head[17] = id;
  return Buffer.concat([head, body]);
}

export const ok = (...payload: Buffer[]): Buffer => message(0xff, 0, ...payload);
export const error = (code: number): Buffer => message(0xff, 0xff, u32(code));

/** The start of every version's ProcessInfo. */
const identity = (processId: number): Buffer =>
  Buffer.concat([
    u64(BigInt(processId)),
    COOKIE_BYTES,
    text('dotnet app.dll --x'),
    text('Linux'),
    text('x64'),
  ]);
const assembly = Buffer.concat([text('app'), text('10.0.1')]);

export interface FakeOptions {
  /** What is answered otherwise than by default. */
  readonly answers?: Readonly<Record<Command, Answer>>;
  /** Of a session; its last byte is sent when the session is stopped. */
  readonly trace?: Uint8Array;
}

export class FakeProcess {
  /** Whole requests, in the order of their coming. */
  readonly requests: Buffer[] = [];
  /** Of the session that streams. */
  stream: Socket | undefined;
  readonly trace: Uint8Array;
  readonly processId = process.pid;
  readonly #answers: Readonly<Record<Command, Answer>>;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor({ answers = {}, trace = new Uint8Array(1) }: FakeOptions = {}) {
    this.#answers = { ...DEFAULT_ANSWERS, ...answers };
    this.trace = trace;
  }

  async listen(path: string): Promise<this> {
    this.#server = createServer((socket) => this.#serve(socket));
    this.#server.listen(path);
    await once(this.#server, 'listening');
    return this;
  }

  /** Connects to a tool, and again for each request, as a process with DOTNET_DiagnosticPorts does. */
  async connectTo(path: string, processId = 4711, cookie = COOKIE_BYTES): Promise<this> {
    const socket = connect(path);
    await once(socket, 'connect');
    socket.write(
      Buffer.concat([hexBytes('414456525f563100'), cookie, u64(BigInt(processId)), Buffer.alloc(2)]),
    );
    this.#serve(socket, () => this.connectTo(path, processId, cookie).catch(() => {}));
    return this;
  }

  /** Commands that came, as `set/id`. */
  get commands(): Command[] {
    return this.requests.map(commandOf);
  }

  /** Ends as a process does that is killed. */
  end(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }

  #serve(socket: Socket, onRequest: () => void = () => {}): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 20 || received.length < received.readUInt16LE(14)) return;
      const request = received;
      received = Buffer.alloc(0);
      this.requests.push(request);
      onRequest();
      const answer = this.#answers[commandOf(request)] ?? (() => error(UNKNOWN_COMMAND));
      const reply = answer(request, socket, this);
      if (reply === undefined) return;
      if (this.stream === socket) socket.write(reply);
      else socket.end(reply);
    });
  }
}

const commandOf = (request: Buffer): Command => request.toString('hex', 16, 18).replace(/^(..)/, '$1/');

const collect: Answer = (_, socket, fake) => {
  fake.stream = socket;
  return Buffer.concat([ok(u64(SESSION_ID)), fake.trace.subarray(0, -1)]);
};

const DEFAULT_ANSWERS: Readonly<Record<Command, Answer>> = {
  '02/01': (request, _, fake) => {
    if (request.readBigUInt64LE(20) !== SESSION_ID || fake.stream === undefined) return error(0x80004005);
    fake.stream.end(fake.trace.subarray(-1));
    return ok(u64(SESSION_ID));
  },
  '02/03': collect,
  '04/00': (_, __, fake) => ok(identity(fake.processId)),
  '04/01': () => ok(u32(0)),
  '04/04': (_, __, fake) => ok(identity(fake.processId), assembly),
  '04/08': (_, __, fake) => ok(u32(1), identity(fake.processId), assembly, text('linux-x64')),
};

/** A folder to be TMPDIR, in which the test's own process can have a port; on Windows, ports are pipes. */
export class PortFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tw-ports-'));

  /** The port of the process that the tests run in. */
  get port(): string {
    return process.platform === 'win32'
      ? `\\\\.\\pipe\\dotnet-diagnostic-${process.pid}`
      : join(this.path, `dotnet-diagnostic-${process.pid}-${startTime()}-socket`);
  }

  /** Where a tool may listen. */
  get tool(): string {
    return process.platform === 'win32'
      ? `\\\\.\\pipe\\tracewright-test-${process.pid}`
      : join(this.path, 'tool');
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** When this process started, as Linux tells it; elsewhere no port is told from others by that. */
function startTime(): string {
  if (process.platform !== 'linux') return '0';
  return readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ')[19] ?? '0';
}
