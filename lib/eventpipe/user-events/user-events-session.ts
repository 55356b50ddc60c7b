/**
 * A session of the type user_events, as in .NET's EventPipe: the events that a tool requests are written to tracepoints
 * that it names, through a descriptor of user_events_data that it passes. So the process itself needs no access to the
 * kernel's tracer. Source: dotnet/runtime `src/native/eventpipe/ep-session.c`.
 */
import { type SessionPart, shareSession } from '../../listen/shared-sessions.ts';
import type { PassedTracerCounts } from '../../platform/addon-functions.ts';
import type { OwnedDescriptor } from '../../platform/owned-descriptor.ts';
import { PassedTracer, PassedTracerError } from '../../platform/passed-tracer.ts';
import { ErrorCode } from '../../wire/diagnostics-ipc/constants.ts';
import { RefusedError } from '../../wire/diagnostics-ipc/error.ts';
import type { UserEventsTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { scratch } from '../../wire/scratch.ts';
import { tracepointV1Definition } from '../../wire/tracepoint-v1/definition.ts';
import { USER_EVENTS_KIND } from '../join-sessions.ts';
import { checkProviders } from './check-providers.ts';
import { ThreadPart } from './thread-part.ts';
import { tracepointNames } from './tracepoints.ts';

/** The error reply for each reason why a descriptor is unusable. */
const REPLY_CODES = {
  'not-there': ErrorCode.NotSupported,
  descriptor: ErrorCode.BadEncoding,
  refused: ErrorCode.Fail,
} as const;

export class UserEventsSession {
  readonly #tracer: PassedTracer;
  readonly #parts: readonly SessionPart[];

  /** @param parts end before the tracer does */
  private constructor(tracer: PassedTracer, parts: readonly SessionPart[]) {
    this.#tracer = tracer;
    this.#parts = parts;
  }

  /**
   * Writes the events of all threads to the tracepoints that are being recorded, from now on.
   *
   * @param descriptor owned by the session: closed at its end, or if this throws
   * @throws RefusedError
   */
  static start({ providers }: UserEventsTracing, descriptor: OwnedDescriptor): UserEventsSession {
    try {
      checkProviders(providers);
    } catch (error) {
      descriptor.close();
      throw error;
    }
    const id = crypto.randomUUID();
    const definitions = tracepointNames(providers).map(tracepointV1Definition);
    const tracer = startTracer(id, descriptor, definitions);
    const ownPart = new ThreadPart(providers, tracer);
    return new UserEventsSession(tracer, [shareSession(USER_EVENTS_KIND, id, providers), ownPart]);
  }

  /** The counts for all threads so far. */
  get counts(): PassedTracerCounts {
    return this.#tracer.counts;
  }

  /** Unregisters the tracepoints and closes the descriptor. Repeated calls have no effect. */
  stop(): void {
    for (const part of this.#parts) part.end();
    this.#tracer.end();
  }
}

function startTracer(id: string, descriptor: OwnedDescriptor, definitions: readonly string[]): PassedTracer {
  try {
    return PassedTracer.start(id, descriptor, definitions, scratch);
  } catch (error) {
    if (!(error instanceof PassedTracerError)) throw error;
    throw new RefusedError(REPLY_CODES[error.code], error.message);
  }
}
