/** Starting sessions: traces of the application's own events, as nettrace, out of the process itself. */
import { Writable } from 'node:stream';
import { hasStack } from '../base/stack-room.ts';
import { shown } from '../base/value-text.ts';
import { doAtExit } from '../listen/at-exit.ts';
import { EventPipeSession, type SessionResult, type SessionSettings } from './event-pipe-session.ts';
import { FileOutput } from './file-output.ts';
import { ProviderRequests } from './requests.ts';
import type { OnOutputFailed, SessionOutput } from './session-output.ts';
import type { SessionProvider } from './session-provider.ts';
import { SessionError } from './session-provider.ts';
import { StreamOutput } from './stream-output.ts';

export interface SessionOptions {
  /**
   * Of which events: `Name:KeywordsHex:Level:key=value;key=value`, several with `,` between them, as dotnet-trace
   * takes them; or as objects. `*` is every provider. Providers may be defined later.
   */
  readonly providers: string | readonly SessionProvider[];
  /**
   * The path of a file, which is written anew, and is for its owner alone; or a stream, which the session ends: for
   * a file of your own permissions, `createWriteStream`.
   */
  readonly output: string | Writable;
  /** The version of nettrace, 6 unless given; 4 is for tools that read only that. */
  readonly nettraceVersion?: 4 | 6;
  /** Megabytes of events that may wait to be written, 16 unless given. */
  readonly bufferMB?: number;
  /**
   * What happens when that is full. `drop`, unless given: events are left out, and counted, until there is room.
   * `block`, for files: writing an event waits until everything before it is in the file.
   */
  readonly mode?: 'drop' | 'block';
  /** Whether the end of the trace tells .NET's tools which process it is of, by its command line; not unless given. */
  readonly rundown?: boolean;
}

/** A session at work. */
export interface Session {
  /** Ends the session, and resolves when the trace is complete. Never rejects: see `SessionResult.problem`. */
  stop(): Promise<SessionResult>;
  /** How it stands. */
  readonly result: SessionResult;
  [Symbol.asyncDispose](): Promise<void>;
}

const OPTIONS = ['providers', 'output', 'nettraceVersion', 'bufferMB', 'mode', 'rundown'];
const DEFAULT_BUFFER_MB = 16;
export const BYTES_PER_MB = 1 << 20;

/**
 * Writes events as a nettrace, from now until it is stopped or the process ends: on the main thread those of all
 * threads that use this package, on a worker thread its own. What goes wrong with the output ends the session, and
 * is a process warning, never an exception.
 *
 * @throws SessionError for options that cannot be
 */
export function startSession(options: SessionOptions): Session {
  const {
    providers,
    output,
    nettraceVersion = 6,
    bufferMB = DEFAULT_BUFFER_MB,
    mode,
    rundown = false,
  } = checked(options);
  const settings = {
    requests: ProviderRequests.from(providers),
    version: nettraceVersion,
    bufferSize: bufferMB * BYTES_PER_MB,
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

/** @param atExit writes out what is left when the process exits, where that can be done at once */
export function runSession<Output extends SessionOutput>(
  settings: SessionSettings<Output>,
  atExit?: (output: Output) => void,
): Session {
  const session = new EventPipeSession(settings);
  const forgetExit = doAtExit(() => {
    session.endAtExit();
    atExit?.(session.output);
  });
  const end = async (): Promise<SessionResult> => {
    // Where there is no room to end it, out of the event loop.
    if (!hasStack()) await undefined;
    session.end();
    // Amid a piece, out of the stream that it is given to, the session ends when that has returned.
    await undefined;
    session.complete();
    await session.output.end();
    forgetExit();
    return session.result;
  };
  let ended: Promise<SessionResult> | undefined;
  const stop = (): Promise<SessionResult> => {
    ended ??= end();
    return ended;
  };
  return {
    stop,
    get result() {
      return session.result;
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
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
    bufferMB = DEFAULT_BUFFER_MB,
    mode = 'drop',
    rundown = false,
  } = options;
  if (!(output instanceof Writable) && (typeof output !== 'string' || output === '')) {
    throw new SessionError(`A session's output is a path or a Writable, not ${shown(output)}.`);
  }
  if (nettraceVersion !== 4 && nettraceVersion !== 6) {
    throw new SessionError(`A session's nettraceVersion is 4 or 6, not ${shown(nettraceVersion)}.`);
  }
  if (typeof bufferMB !== 'number' || !Number.isFinite(bufferMB) || bufferMB <= 0) {
    throw new SessionError(`A session's bufferMB is a number above 0, not ${shown(bufferMB)}.`);
  }
  if (mode !== 'drop' && mode !== 'block') {
    throw new SessionError(`A session's mode is 'drop' or 'block', not ${shown(mode)}.`);
  }
  if (typeof rundown !== 'boolean') {
    throw new SessionError(`A session's rundown is true or false, not ${shown(rundown)}.`);
  }
  if (mode === 'block' && typeof output !== 'string') {
    throw new SessionError(
      "A session's mode can be 'block' only where the output is a path: waiting for a stream would keep it from being written.",
    );
  }
  return options;
}
