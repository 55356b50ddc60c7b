/** Starts sessions: the process writes its own events to nettraces. */
import { Writable } from 'node:stream';
import { hasStack } from '../base/stack-room.ts';
import { shown } from '../base/value-text.ts';
import { doAtExit } from '../listen/at-exit.ts';
import { EventPipeSession, type SessionResult, type SessionSettings } from './event-pipe-session.ts';
import { FileOutput } from './file-output.ts';
import { ProviderRequests } from './requests.ts';
import { SessionError } from './session-error.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';
import type { SessionProvider } from './session-provider.ts';
import { StreamOutput } from './stream-output.ts';

export interface SessionOptions {
  /**
   * The events to record: `Name:Keywords:Level:key=value;key=value`, several separated by `,`, as for dotnet-trace, with
   * keywords in hex or by names (`Requests+Heap`); or objects. `*` is every provider. Providers may be defined later.
   */
  readonly providers: string | readonly SessionProvider[];
  /**
   * The path of a file, which is replaced and readable only by its owner; or a stream, which the session ends: use
   * `createWriteStream` for a file with other permissions.
   */
  readonly output: string | Writable;
  /** The nettrace version; the default is 6, and 4 is for tools that read only that. */
  readonly nettraceVersion?: 4 | 6;
  /** How many bytes of events may wait to be written; the default is 16 MiB. */
  readonly maxBufferBytes?: number;
  /**
   * What happens when the buffer is full. `drop` (the default): events are dropped and counted until there is room.
   * `block`, for files: writing an event waits until everything before it is in the file.
   */
  readonly mode?: 'drop' | 'block';
  /**
   * Whether the trace ends with the state of its sources (see `onStateRequest`) and identifies the process to .NET's
   * tools by its command line; the default is false.
   */
  readonly rundown?: boolean;
}

/** A running session. */
export interface Session {
  /**
   * Ends the session, and resolves when the trace is complete. Never rejects: see `SessionResult.problem`. A session with
   * CPU samples ends some turns of the event loop later, when they are in the trace.
   */
  close(): Promise<SessionResult>;
  /** The current state. */
  readonly result: SessionResult;
  [Symbol.asyncDispose](): Promise<void>;
}

const OPTIONS = ['providers', 'output', 'nettraceVersion', 'maxBufferBytes', 'mode', 'rundown'];
const DEFAULT_BUFFER_BYTES = 16 << 20;

/**
 * Writes events as a nettrace, from now until it is closed or the process exits: on the main thread those of all
 * threads that use this package, on a worker thread only its own. If the output fails, the session ends with a process
 * warning, never an exception.
 *
 * @throws SessionError for invalid options
 */
export function startSession(options: SessionOptions): Session {
  const {
    providers,
    output,
    nettraceVersion = 6,
    maxBufferBytes = DEFAULT_BUFFER_BYTES,
    mode,
    rundown = false,
  } = checked(options);
  const settings = {
    requests: ProviderRequests.from(providers),
    version: nettraceVersion,
    bufferSize: maxBufferBytes,
    rundown,
  };
  if (typeof output !== 'string') {
    return runSession({ ...settings, openOutput: (onFailed) => new StreamOutput(output, onFailed) });
  }
  const drain = (file: FileOutput): void => file.drain();
  const makeRoom = mode === 'block' ? drain : undefined;
  const openOutput = (onFailed: OnOutputFailed): FileOutput => new FileOutput(output, onFailed);
  return runSession({ ...settings, openOutput, makeRoom }, drain);
}

/** A session of this process for somebody else, who may ask for the state of its sources. */
interface OwnSession extends Session {
  /** Resolves when sampling has started, or will not; undefined if it started at once, or if there are no samples. */
  readonly samplingStarted: Promise<void> | undefined;
  captureState(): void;
}

/** @param atExit writes the rest when the process exits, if that can be done synchronously */
export function runSession<Output extends SessionOutput>(
  settings: SessionSettings<Output>,
  atExit?: (output: Output) => void,
): OwnSession {
  const session = new EventPipeSession(settings);
  const forgetExit = doAtExit(() => {
    session.endAtExit();
    atExit?.(session.output);
  });
  const end = async (): Promise<SessionResult> => {
    // Without enough stack to end the session, end it from the event loop.
    if (!hasStack()) await undefined;
    // Samples are converted in turns of the event loop, of which none is long. Other sessions end at once.
    const caughtUp = session.catchUp();
    if (caughtUp !== undefined) await caughtUp;
    session.end();
    // If the stream ends the session while taking a chunk, the session ends after that.
    await undefined;
    session.complete();
    await session.output.end();
    forgetExit();
    return session.result;
  };
  let ended: Promise<SessionResult> | undefined;
  const close = (): Promise<SessionResult> => {
    ended ??= end();
    return ended;
  };
  return {
    close,
    samplingStarted: session.samplingStarted,
    captureState: () => session.captureState(),
    get result() {
      return session.result;
    },
    [Symbol.asyncDispose]: async () => {
      await close();
    },
  };
}

function checked(options: SessionOptions): SessionOptions {
  for (const name of Object.keys(options)) {
    if (OPTIONS.includes(name)) continue;
    throw new SessionError(`A session has no option "${name}"; the options are ${OPTIONS.join(', ')}.`);
  }
  const {
    output,
    nettraceVersion = 6,
    maxBufferBytes = DEFAULT_BUFFER_BYTES,
    mode = 'drop',
    rundown = false,
  } = options;
  if (!(output instanceof Writable) && (typeof output !== 'string' || output === '')) {
    throw new SessionError(`A session's output must be a path or a Writable, not ${shown(output)}.`);
  }
  if (nettraceVersion !== 4 && nettraceVersion !== 6) {
    throw new SessionError(`A session's nettraceVersion must be 4 or 6, not ${shown(nettraceVersion)}.`);
  }
  if (!Number.isFinite(maxBufferBytes) || maxBufferBytes <= 0) {
    throw new SessionError(
      `A session's maxBufferBytes must be a number above 0, not ${shown(maxBufferBytes)}.`,
    );
  }
  if (mode !== 'drop' && mode !== 'block') {
    throw new SessionError(`A session's mode must be 'drop' or 'block', not ${shown(mode)}.`);
  }
  if (typeof rundown !== 'boolean') {
    throw new SessionError(`A session's rundown must be true or false, not ${shown(rundown)}.`);
  }
  if (mode === 'block' && typeof output !== 'string') {
    throw new SessionError(
      "A session's mode can be 'block' only if the output is a path: waiting for a stream would keep it from being written.",
    );
  }
  return options;
}
