/**
 * A session of kind user_events, as .NET's EventPipe has it: the events that a tool asks for go to tracepoints
 * that it names, through a descriptor of user_events_data that it passes. So the process itself needs no right to
 * the kernel's tracer. Source: dotnet/runtime `src/native/eventpipe/ep-session.c`.
 */
import type { SessionPart } from '../../listen/shared-sessions.ts';
import {
  closeDescriptor,
  PassedTracer,
  type PassedTracerCounts,
  PassedTracerError,
} from '../../platform/passed-tracer.ts';
import { ErrorCode } from '../../wire/diagnostics-ipc/constants.ts';
import type { UserEventsTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import { scratch } from '../../wire/scratch.ts';
import { tracepointV1Definition } from '../../wire/tracepoint-v1/definition.ts';
import { checkProviders, UserEventsSessionError } from './check-providers.ts';
import { shareUserEvents } from './shared-session.ts';
import { ThreadPart } from './thread-part.ts';
import { tracepointNames } from './tracepoints.ts';

/** What an error reply says for each way in which a descriptor is of no use. */
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
   * Events of all threads go to the tracepoints from now on, those that somebody records.
   *
   * @param descriptor the session's from here on: closed at its end, or when this throws
   * @throws UserEventsSessionError
   */
  static start({ providers }: UserEventsTracing, descriptor: number): UserEventsSession {
    try {
      checkProviders(providers);
    } catch (error) {
      closeDescriptor(descriptor);
      throw error;
    }
    const id = crypto.randomUUID();
    const definitions = tracepointNames(providers).map(tracepointV1Definition);
    const tracer = startTracer(id, descriptor, definitions);
    const ownPart = new ThreadPart(providers, tracer);
    return new UserEventsSession(tracer, [shareUserEvents(id, providers), ownPart]);
  }

  /** Events of all threads so far. */
  get counts(): PassedTracerCounts {
    return this.#tracer.counts;
  }

  /** Unregisters the tracepoints, and closes the descriptor. Once is enough. */
  stop(): void {
    for (const part of this.#parts) part.end();
    this.#tracer.end();
  }
}

function startTracer(id: string, descriptor: number, definitions: readonly string[]): PassedTracer {
  try {
    return PassedTracer.start(id, descriptor, definitions, scratch);
  } catch (error) {
    if (!(error instanceof PassedTracerError)) throw error;
    throw new UserEventsSessionError(REPLY_CODES[error.code], error.message);
  }
}
