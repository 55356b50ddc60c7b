/** The sessions of this port's clients: each lives as long as the connection on which it was requested. */
import { ProviderRequests } from '../../eventpipe/requests.ts';
import { sessionProvider } from '../../eventpipe/session-provider.ts';
import { runSession } from '../../eventpipe/start-session.ts';
import { UserEventsSession } from '../../eventpipe/user-events/user-events-session.ts';
import { lastRecorder } from '../../flight/flight-recorder.ts';
import {
  BufferMode,
  ErrorCode,
  FLIGHT_RECORDER,
  StreamFormat,
} from '../../wire/diagnostics-ipc/constants.ts';
import { RefusedError } from '../../wire/diagnostics-ipc/error.ts';
import { encodeSessionReply } from '../../wire/diagnostics-ipc/reply.ts';
import type { StreamingTracing, Tracing, UserEventsTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { pieceBytes } from '../../wire/nettrace/write/framing.ts';
import type { ServerConnection } from './connection.ts';
import { ConnectionOutput } from './connection-output.ts';

/** .NET's runtime has the same limit. */
const MAX_SESSIONS = 64;
/** The memory that a client can make the process use, whatever it requests. */
export const MAX_BUFFER_MB = 1024;
export const BYTES_PER_MB = 1 << 20;

const NOTHING = new Uint8Array(0);

interface RunningSession {
  readonly connection: ServerConnection;
  /** Resolves when the client has received everything, or has gone. */
  stop(): Promise<void>;
  captureState?(): void;
}

/** A session that another thread started for this one: see `StandIn`. */
export interface BegunSession {
  readonly id: bigint;
  /** The size of the trace so far, in bytes. */
  readonly size: number;
}

export class TracingSessions {
  readonly #running = new Map<bigint, RunningSession>();
  #lastId = 0n;

  /**
   * Replies, and keeps the connection.
   *
   * @throws RefusedError, SessionError
   */
  async start(tracing: Tracing, connection: ServerConnection): Promise<void> {
    if (!this.#hasRoom()) throw noRoom();
    if (isForFlightRecorder(tracing)) this.#sendFlight(connection);
    else if (tracing.sessionType === 'streaming') await this.#startStream(tracing, connection);
    else await this.#startUserEvents(tracing, connection);
  }

  /** Continues a session from another thread: the client already has its reply. */
  continue(tracing: StreamingTracing, connection: ServerConnection, begun: BegunSession): void {
    this.#runStream(tracing, connection, begun).output.open(NOTHING);
  }

  /** A session that is over need not be stopped. */
  async stop(id: bigint): Promise<void> {
    const session = this.#running.get(id);
    await session?.stop();
    session?.connection.end();
  }

  /** Asks the sources for their state. A session that is over, or of the kernel, has none in its trace. */
  captureState(id: bigint): void {
    this.#running.get(id)?.captureState?.();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id)));
  }

  /** The ones that block for the client of a session. */
  connections(): ServerConnection[] {
    return [...this.#running.values()].map(({ connection }) => connection);
  }

  async #startStream(tracing: StreamingTracing, connection: ServerConnection): Promise<void> {
    const { id, output, session } = this.#runStream(tracing, connection);
    // A client may resume the process when it has the reply, and wants to see what follows.
    await session.samplingStarted;
    output.open(encodeSessionReply(id));
  }

  #runStream(tracing: StreamingTracing, connection: ServerConnection, begun?: BegunSession) {
    if (tracing.format === StreamFormat.NetPerf) {
      throw new RefusedError(ErrorCode.Fail, 'NetPerf, the predecessor of nettrace, is not supported.');
    }
    const output = new ConnectionOutput(connection);
    const session = runSession({
      requests: ProviderRequests.from(tracing.providers.map(sessionProvider)),
      version: tracing.format === StreamFormat.NetTrace6 ? 6 : 4,
      bufferSize: Math.min(tracing.bufferMegabytes, MAX_BUFFER_MB) * BYTES_PER_MB,
      rundown: tracing.rundownKeyword !== 0n,
      continuedAt: begun?.size,
      samplesLater: begun === undefined,
      openOutput: () => output,
      makeRoom: tracing.bufferMode === BufferMode.Block ? drainOf(connection) : undefined,
    });
    const stop = async (): Promise<void> => {
      await session.close();
    };
    const captureState = () => session.captureState();
    return { id: this.#add(connection, { stop, captureState }, begun?.id), output, session };
  }

  async #startUserEvents(tracing: UserEventsTracing, connection: ServerConnection): Promise<void> {
    if (connection.receiveDescriptor === undefined) {
      throw new RefusedError(ErrorCode.NotSupported, 'Descriptors cannot be received here.');
    }
    const descriptor = await connection.receiveDescriptor();
    if (descriptor === undefined) {
      throw new RefusedError(ErrorCode.BadEncoding, 'The client sent no descriptor of user_events_data.');
    }
    // Others may have come before it.
    if (!this.#hasRoom()) {
      descriptor.close();
      throw noRoom();
    }
    const session = UserEventsSession.start(tracing, descriptor);
    const id = this.#add(connection, { stop: async () => session.stop() });
    connection.send(encodeSessionReply(id));
  }

  /** Sends the current contents of the flight recorder: a session that ends when everything is sent. */
  #sendFlight(connection: ServerConnection): void {
    const recorder = lastRecorder();
    if (recorder === undefined) {
      throw new RefusedError(ErrorCode.Fail, 'This process has no flight recorder.');
    }
    const { pieces } = recorder.trace('A tool asked for it.');
    connection.send(encodeSessionReply(++this.#lastId));
    const sendNext = (): void => {
      const { done, value } = pieces.next();
      if (done === true) connection.end();
      // The application gets turns in between.
      else connection.send(pieceBytes(value), () => setImmediate(sendNext));
    };
    sendNext();
  }

  #hasRoom(): boolean {
    return this.#running.size < MAX_SESSIONS;
  }

  #add(
    connection: ServerConnection,
    session: Omit<RunningSession, 'connection'>,
    id = ++this.#lastId,
  ): bigint {
    this.#running.set(id, {
      ...session,
      connection,
      stop: async () => {
        await session.stop();
        this.#running.delete(id);
      },
    });
    connection.closeWithClient();
    connection.closed.then(() => this.stop(id));
    return id;
  }
}

export function isForFlightRecorder({ providers }: Tracing): boolean {
  return providers.some(({ name }) => name === FLIGHT_RECORDER);
}

function noRoom(): RefusedError {
  return new RefusedError(ErrorCode.Fail, `The maximum of ${MAX_SESSIONS} sessions is already running.`);
}

/** @throws RefusedError if blocking for the client is not possible */
function drainOf({ drain }: ServerConnection): () => void {
  if (drain !== undefined) return drain;
  throw new RefusedError(ErrorCode.NotSupported, 'Sending cannot block here.');
}
