/** Starting sessions: traces of the application's own events, in .NET's format, out of the process itself. */
import { Writable } from 'node:stream';
import type { WrittenVersion } from '../../wire/nettrace/write/written.ts';
import { doAtExit } from '../at-exit.ts';
import { shown } from '../shown.ts';
import { EventPipeSession, type OpenOutput, type SessionResult } from './event-pipe-session.ts';
import { FileOutput } from './file-output.ts';
import type { SessionOutput } from './output.ts';
import type { SessionProvider } from './provider-text.ts';
import { ProviderRequests } from './requests.ts';
import { SessionError } from './session-error.ts';
import { StreamOutput } from './stream-output.ts';

export interface SessionOptions {
  /**
   * Of which events: `Name:KeywordsHex:Level:key=value;key=value`, several with `,` between them, as dotnet-trace
   * takes them; or as objects. `*` is every provider. Providers may be defined later.
   */
  readonly providers: string | readonly SessionProvider[];
  /** The path of a file, which is written anew; or a stream, which the session ends. */
  readonly output: string | Writable;
  /** The version of nettrace, 6 unless given; 4 is for tools that read only that. */
  readonly format?: 4 | 6;
  /** Megabytes of events that may wait to be written, 16 unless given. */
  readonly bufferMB?: number;
  /**
   * What happens when that is full. `drop`, unless given: events are left out, and counted, until there is room.
   * `block`, for files: writing an event waits until everything before it is in the file.
   */
  readonly mode?: 'drop' | 'block';
}

/** A session at work. */
export interface Session {
  /** Ends the session, and resolves when the trace is complete. Never rejects: see `SessionResult.problem`. */
  stop(): Promise<SessionResult>;
  /** How it stands. */
  readonly result: SessionResult;
  [Symbol.asyncDispose](): Promise<void>;
}

const OPTIONS = ['providers', 'output', 'format', 'bufferMB', 'mode'];
const DEFAULT_BUFFER_MB = 16;
const BYTES_PER_MB = 1 << 20;

/**
 * Writes events of this thread as a nettrace, from now until it is stopped or the process ends; what goes wrong
 * with the output ends the session, and is a process warning, never an exception.
 *
 * @throws SessionError for options that cannot be
 */
export function startSession(options: SessionOptions): Session {
  const { providers, output, format = 6, bufferMB = DEFAULT_BUFFER_MB, mode = 'drop' } = checked(options);
  const requests = new ProviderRequests(providers);
  const bufferSize = bufferMB * BYTES_PER_MB;
  return typeof output === 'string'
    ? fileSession(requests, format, bufferSize, output, mode === 'block')
    : sessionWith(requests, format, bufferSize, (onFailed) => new StreamOutput(output, onFailed));
}

function fileSession(
  requests: ProviderRequests,
  format: WrittenVersion,
  bufferSize: number,
  path: string,
  waits: boolean,
): Session {
  return sessionWith(
    requests,
    format,
    bufferSize,
    (onFailed) => new FileOutput(path, onFailed),
    waits ? (file) => file.drain() : undefined,
    (file) => file.drain(),
  );
}

/** @param atExit writes out what is left when the process exits, where that can be done at once */
function sessionWith<Output extends SessionOutput>(
  requests: ProviderRequests,
  format: WrittenVersion,
  bufferSize: number,
  openOutput: OpenOutput<Output>,
  makeRoom?: (output: Output) => void,
  atExit?: (output: Output) => void,
): Session {
  const session = new EventPipeSession(requests, format, bufferSize, openOutput, makeRoom);
  const forgetExit = doAtExit(() => {
    session.end();
    atExit?.(session.output);
  });
  const end = async (): Promise<SessionResult> => {
    session.end();
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
  const { output, format = 6, bufferMB = DEFAULT_BUFFER_MB, mode = 'drop' } = options;
  if (!(output instanceof Writable) && (typeof output !== 'string' || output === '')) {
    throw new SessionError(`A session's output is a path or a Writable, not ${shown(output)}.`);
  }
  if (format !== 4 && format !== 6) {
    throw new SessionError(`A session's format is 4 or 6, not ${shown(format)}.`);
  }
  if (typeof bufferMB !== 'number' || !Number.isFinite(bufferMB) || bufferMB <= 0) {
    throw new SessionError(`A session's bufferMB is a number above 0, not ${shown(bufferMB)}.`);
  }
  if (mode !== 'drop' && mode !== 'block') {
    throw new SessionError(`A session's mode is 'drop' or 'block', not ${shown(mode)}.`);
  }
  if (mode === 'block' && typeof output !== 'string') {
    throw new SessionError(
      "A session's mode can be 'block' only where the output is a path: waiting for a stream would keep it from being written.",
    );
  }
  return options;
}
