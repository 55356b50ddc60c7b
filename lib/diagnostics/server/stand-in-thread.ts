/**
 * The worker thread that serves clients while the main thread is stuck in JavaScript. It identifies the process and
 * starts sessions; all other requests wait for the main thread, which takes over all clients when it is back.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { samplingRequest } from '../../eventpipe/cpu-samples/cpu-samples.ts';
import { SAMPLE_PROFILER } from '../../eventpipe/cpu-samples/dotnet-events.ts';
import { ProviderRequests } from '../../eventpipe/requests.ts';
import { sessionProvider } from '../../eventpipe/session-provider.ts';
import { SharedProfiler } from '../../eventpipe/stuck-thread/remote-profiler.ts';
import { StuckSession } from '../../eventpipe/stuck-thread/stuck-session.ts';
import { Acceptor } from '../../platform/acceptor.ts';
import { type UnixSocket, type UnixSockets, unixSockets } from '../../platform/unix-socket.ts';
import { HEADER_SIZE, StreamFormat } from '../../wire/diagnostics-ipc/constants.ts';
import { readHeader } from '../../wire/diagnostics-ipc/message.ts';
import { encodeProcessInfoReply, encodeSessionReply } from '../../wire/diagnostics-ipc/reply.ts';
import { decodeRequest, type Request } from '../../wire/diagnostics-ipc/request.ts';
import type { StreamingTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { ConnectionOutput } from './connection-output.ts';
import { DescriptorConnection } from './descriptor-connection.ts';
import type { PassedClient, StandInData, ToStandIn } from './stand-in-messages.ts';
import { BYTES_PER_MB, isForFlightRecorder, MAX_BUFFER_MB } from './tracing-sessions.ts';

/** A client must send its request at once. */
const REQUEST_MS = 5000;

interface Client {
  readonly connection: DescriptorConnection;
  readonly listener: number;
  /** The request is undefined until it has been read. */
  request: Uint8Array | undefined;
  session: { readonly id: bigint; readonly trace: StuckSession } | undefined;
  /** Whether only the reply remains to be sent. */
  isDone: boolean;
}

class StandInThread {
  readonly #data: StandInData;
  readonly #main: MessagePort;
  readonly #acceptors: readonly Acceptor[];
  readonly #profiler: SharedProfiler;
  readonly #clients = new Set<Client>();
  #sessions = 0n;
  #isBack = false;

  constructor(data: StandInData, main: MessagePort, sockets: UnixSockets) {
    this.#data = data;
    this.#main = main;
    this.#profiler = new SharedProfiler(!data.stuck.isCovered);
    main.on('message', (message: ToStandIn) => {
      if (message === 'back') this.#handOver();
      else if (message === 'end') main.close();
      else this.#exit();
    });
    main.postMessage('here');
    this.#acceptors = data.listeners.map(({ id, descriptor }) => {
      return new Acceptor(sockets.adopt(descriptor), (socket) => this.#accept(socket, id));
    });
  }

  #accept(socket: UnixSocket, listener: number): void {
    const connection = new DescriptorConnection(socket);
    const client: Client = { connection, listener, request: undefined, session: undefined, isDone: false };
    this.#clients.add(client);
    connection.closed.then(() => this.#clients.delete(client));
    // Whatever goes wrong, it concerns only this client.
    this.#serve(client).catch(() => connection.close());
  }

  async #serve(client: Client): Promise<void> {
    const { connection } = client;
    client.request = await requestOn(connection);
    if (client.request.length === 0 && !this.#isBack) {
      connection.close();
      return;
    }
    const request = this.#isBack ? undefined : decoded(client.request);
    if (request !== undefined) client.isDone = await this.#answer(request, client);
    if (client.isDone) connection.end();
    else if (this.#isBack) this.#pass(client);
  }

  /** @returns whether the client is done; otherwise the main thread takes it over, sooner or later */
  async #answer(request: Request, client: Client): Promise<boolean> {
    const { connection } = client;
    if (request.command === 'ProcessInfo') {
      connection.send(encodeProcessInfoReply(request.version, this.#data.process));
    } else if (request.command === 'StopTracing') {
      const stopped = [...this.#clients].find(({ session }) => session?.id === request.sessionId);
      if (stopped?.session === undefined) return false;
      await stopped.session.trace.end();
      stopped.connection.end();
      connection.send(encodeSessionReply(request.sessionId));
    } else if (request.command === 'CollectTracing' && request.tracing.sessionType === 'streaming') {
      this.#begin(request.tracing, client);
      return false;
    } else return false;
    return true;
  }

  #begin(tracing: StreamingTracing, client: Client): void {
    if (tracing.format === StreamFormat.NetPerf || isForFlightRecorder(tracing)) return;
    const { byName } = ProviderRequests.from(tracing.providers.map(sessionProvider));
    const output = new ConnectionOutput(client.connection);
    const settings = {
      version: tracing.format === StreamFormat.NetTrace6 ? 6 : 4,
      sampling: samplingRequest(byName.get(SAMPLE_PROFILER)),
      bufferSize: Math.min(tracing.bufferMegabytes, MAX_BUFFER_MB) * BYTES_PER_MB,
    } as const;
    const id = this.#data.firstSession + this.#sessions++;
    const trace = new StuckSession(settings, output, this.#data.stuck, this.#profiler);
    client.session = { id, trace };
    output.open(encodeSessionReply(id));
    client.connection.closed.then(() => trace.abandon());
    client.connection.closeWithClient();
  }

  /** The main thread takes over all clients. */
  async #handOver(): Promise<void> {
    this.#isBack = true;
    this.#profiler.mainIsBack();
    for (const acceptor of this.#acceptors) acceptor.close();
    await Promise.all(Array.from(this.#clients, (client) => this.#leave(client)));
    this.#profiler.end();
    this.#main.postMessage('done');
  }

  async #leave(client: Client): Promise<void> {
    const { session, connection, request, isDone } = client;
    await session?.trace.leave();
    // The bytes of an incomplete request are then passed on.
    if (request === undefined) connection.stopReading();
    else if (!isDone) this.#pass(client);
    await connection.closed;
  }

  #pass(client: Client): void {
    const { connection, listener, request = NOTHING, session } = client;
    const released = connection.release();
    if (released === undefined) return;
    this.#clients.delete(client);
    const passed: PassedClient = {
      ...released,
      listener,
      request,
      session: session && { id: session.id, size: session.trace.size },
    };
    this.#main.postMessage(passed);
  }

  /** The main thread waits for this, and would wait for inspectors. */
  #exit(): void {
    this.#profiler.end();
    Atomics.store(this.#data.hasLeft, 0, 1);
    Atomics.notify(this.#data.hasLeft, 0);
  }
}

const NOTHING = new Uint8Array(0);

/** The complete request, or the part that has arrived. */
async function requestOn(connection: DescriptorConnection): Promise<Uint8Array> {
  const timer = setTimeout(() => connection.stopReading(), REQUEST_MS).unref();
  const header = await connection.read(HEADER_SIZE);
  const rest = await connection.read(restOf(header));
  clearTimeout(timer);
  return Buffer.concat([header, rest]);
}

function restOf(header: Uint8Array): number {
  try {
    return readHeader(header).size - HEADER_SIZE;
  } catch {
    return 0;
  }
}

function decoded(bytes: Uint8Array): Request | undefined {
  try {
    return decodeRequest(bytes);
  } catch {
    // The main thread reports the problem.
    return undefined;
  }
}

const sockets = unixSockets();
if (parentPort !== null && sockets !== undefined) new StandInThread(workerData, parentPort, sockets);
