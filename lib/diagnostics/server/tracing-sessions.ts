/** The sessions of this port's clients: each lives as long as the connection that it was asked for on. */
import { ProviderRequests } from '../../eventpipe/requests.ts';
import { sessionProvider } from '../../eventpipe/session-provider.ts';
import { BYTES_PER_MB, runSession } from '../../eventpipe/start-session.ts';
import { UserEventsSession } from '../../eventpipe/user-events/user-events-session.ts';
import { closeDescriptor } from '../../platform/passed-tracer.ts';
import { BufferMode, ErrorCode, StreamFormat } from '../../wire/diagnostics-ipc/constants.ts';
import { encodeSessionReply } from '../../wire/diagnostics-ipc/reply.ts';
import type { StreamingTracing, Tracing, UserEventsTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import type { ServerConnection } from './connection.ts';
import { ConnectionOutput } from './connection-output.ts';

/** What a client asked for and does not get. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** One of `ErrorCode`: what the client is told. */
  readonly replyCode: number;

  /** @param message a complete sentence */
  constructor(replyCode: number, message: string) {
    super(message);
    this.replyCode = replyCode;
  }
}

/** As many as .NET's runtime has. */
const MAX_SESSIONS = 64;
/** Memory that a client can have the process use, whatever it asks for. */
const MAX_BUFFER_MB = 1024;

interface RunningSession {
  readonly connection: ServerConnection;
  /** Resolves when the client has all of it, or is gone. */
  stop(): Promise<void>;
}

export class TracingSessions {
  readonly #running = new Map<bigint, RunningSession>();
  #lastId = 0n;

  /**
   * Replies, and keeps the connection.
   *
   * @throws RefusedError, SessionError, UserEventsSessionError
   */
  async start(tracing: Tracing, connection: ServerConnection): Promise<void> {
    if (!this.#hasRoom()) throw noRoom();
    if (tracing.sessionType === 'streaming') this.#startStream(tracing, connection);
    else await this.#startUserEvents(tracing, connection);
  }

  /** Of a session that is over, there is nothing to stop. */
  async stop(id: bigint): Promise<void> {
    const session = this.#running.get(id);
    await session?.stop();
    session?.connection.end();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id)));
  }

  /** Those that the client of a session waits at. */
  connections(): ServerConnection[] {
    return [...this.#running.values()].map(({ connection }) => connection);
  }

  #startStream(tracing: StreamingTracing, connection: ServerConnection): void {
    if (tracing.format === StreamFormat.NetPerf) {
      throw new RefusedError(ErrorCode.Fail, 'NetPerf, the format before nettrace, is not written.');
    }
    const output = new ConnectionOutput(connection);
    const session = runSession({
      requests: ProviderRequests.from(tracing.providers.map(sessionProvider)),
      version: tracing.format === StreamFormat.NetTrace6 ? 6 : 4,
      bufferSize: Math.min(tracing.bufferMegabytes, MAX_BUFFER_MB) * BYTES_PER_MB,
      rundown: tracing.rundownKeyword !== 0n,
      openOutput: () => output,
      makeRoom: tracing.bufferMode === BufferMode.Block ? drainOf(connection) : undefined,
    });
    const id = this.#add(connection, async () => {
      await session.stop();
    });
    output.open(encodeSessionReply(id));
  }

  async #startUserEvents(tracing: UserEventsTracing, connection: ServerConnection): Promise<void> {
    if (connection.receiveDescriptor === undefined) {
      throw new RefusedError(ErrorCode.NotSupported, 'No descriptor can be received here.');
    }
    const descriptor = await connection.receiveDescriptor();
    if (descriptor === undefined) {
      throw new RefusedError(ErrorCode.BadEncoding, 'The client has sent no descriptor of user_events_data.');
    }
    // Others may have come before it.
    if (!this.#hasRoom()) {
      closeDescriptor(descriptor);
      throw noRoom();
    }
    const session = UserEventsSession.start(tracing, descriptor);
    const id = this.#add(connection, async () => session.stop());
    connection.send(encodeSessionReply(id));
  }

  #hasRoom(): boolean {
    return this.#running.size < MAX_SESSIONS;
  }

  #add(connection: ServerConnection, stop: () => Promise<void>): bigint {
    const id = ++this.#lastId;
    this.#running.set(id, {
      connection,
      stop: async () => {
        await stop();
        this.#running.delete(id);
      },
    });
    connection.closeWithClient();
    connection.closed.then(() => this.stop(id));
    return id;
  }
}

function noRoom(): RefusedError {
  return new RefusedError(ErrorCode.Fail, `There are ${MAX_SESSIONS} sessions already.`);
}

/** @throws RefusedError where the client cannot be waited for */
function drainOf({ drain }: ServerConnection): () => void {
  if (drain !== undefined) return drain;
  throw new RefusedError(ErrorCode.NotSupported, 'Sending cannot be waited for here.');
}
