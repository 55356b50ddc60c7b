/** Serves connections: reads a request, executes it, and replies. Every message gets a reply. */
import { thisProcess } from '../../listen/this-process.ts';
import { ErrorCode, HEADER_SIZE, PerfMapType } from '../../wire/diagnostics-ipc/constants.ts';
import { DiagnosticsIpcError, RefusedError } from '../../wire/diagnostics-ipc/error.ts';
import { readHeader } from '../../wire/diagnostics-ipc/message.ts';
import {
  encodeEnvironment,
  encodeError,
  encodeOk,
  encodeProcessInfoReply,
  encodeSessionReply,
} from '../../wire/diagnostics-ipc/reply.ts';
import { decodeRequest, type Request } from '../../wire/diagnostics-ipc/request.ts';
import type { StreamingTracing } from '../../wire/diagnostics-ipc/tracing.ts';
import type { ServerConnection } from './connection.ts';
import { environmentVariables, setEnvironmentVariable } from './environment-variables.ts';
import type { BegunSession, TracingSessions } from './tracing-sessions.ts';

/** Whether a port suspends the process at startup, until a tool resumes it. */
export class StartupGate {
  /** Resolves when the process may continue. */
  readonly passed: Promise<void>;
  /** What someone waiting for it can do, as a sentence. */
  readonly remedy: string;
  #isOpen = false;
  #open: () => void = () => {};

  constructor(isSuspended: boolean, remedy: string) {
    this.remedy = remedy;
    this.passed = new Promise((resolve) => {
      this.#open = resolve;
    });
    if (!isSuspended) this.open();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Any number of times. */
  open(): void {
    this.#isOpen = true;
    this.#open();
  }
}

/** A client sends its request at once; one that does not is dropped after this time. */
const REQUEST_MS = 5000;
/** A client that has sent nothing has these bytes. */
const NOTHING = new Uint8Array(0);

export class RequestServer {
  readonly #sessions: TracingSessions;
  readonly #exposesSecrets: boolean;

  constructor(sessions: TracingSessions, exposesSecrets: boolean) {
    this.#sessions = sessions;
    this.#exposesSecrets = exposesSecrets;
  }

  /**
   * Resolves when the connection is closed, or belongs to a session; never rejects.
   *
   * @param gate of the port that the client came to
   * @param onRequest called when a request begins, or none comes; the client may take its time. Without it, it may not.
   */
  async serve(
    connection: ServerConnection,
    gate: StartupGate,
    onRequest?: (isThere: boolean) => void,
  ): Promise<void> {
    const limit = (): NodeJS.Timeout => setTimeout(() => connection.stopReading(), REQUEST_MS).unref();
    let timer = onRequest === undefined ? limit() : undefined;
    const header = await connection.read(HEADER_SIZE);
    onRequest?.(header.length > 0);
    timer ??= limit();
    const reply = header.length > 0 ? await this.#answer(header, connection, gate) : NOTHING;
    clearTimeout(timer);
    if (reply === undefined) return;
    connection.send(reply);
    connection.end();
    await connection.closed;
  }

  /** A session that another thread has started for this request. */
  continue(request: Uint8Array, connection: ServerConnection, begun: BegunSession): void {
    try {
      const { tracing } = decodeRequest(request) as Extract<Request, { command: 'CollectTracing' }>;
      this.#sessions.continue(tracing as StreamingTracing, connection, begun);
    } catch {
      connection.close();
    }
  }

  /** @returns the reply; undefined if it has been sent, and the connection belongs to a session */
  async #answer(
    header: Uint8Array,
    connection: ServerConnection,
    gate: StartupGate,
  ): Promise<Uint8Array | undefined> {
    try {
      const { size } = readHeader(header);
      const rest = await connection.read(size - HEADER_SIZE);
      const request = decodeRequest(Buffer.concat([header, rest]));
      if (request.command !== 'CollectTracing') return await this.#do(request, gate);
      await this.#sessions.start(request.tracing, connection);
      return undefined;
    } catch (error) {
      return encodeError(replyCodeOf(error));
    }
  }

  async #do(
    request: Exclude<Request, { command: 'CollectTracing' }>,
    gate: StartupGate,
  ): Promise<Uint8Array> {
    switch (request.command) {
      case 'ProcessInfo':
        return encodeProcessInfoReply(request.version, thisProcess());
      case 'ResumeRuntime':
        gate.open();
        return encodeOk();
      case 'ProcessEnvironment':
        return encodeEnvironment(environmentVariables(this.#exposesSecrets));
      case 'SetEnvironmentVariable':
        return done(setEnvironmentVariable(request.name, request.value));
      case 'EnablePerfMap':
        return done(enablePerfMap(request.mapType));
      // V8 never stops writing a map, but nothing depends on that.
      case 'DisablePerfMap':
        return encodeOk();
      case 'StopTracing':
        await this.#sessions.stop(request.sessionId);
        return encodeSessionReply(request.sessionId);
      case 'CaptureState':
        this.#sessions.captureState(request.sessionId);
        return encodeOk();
      // Specific to .NET's runtime.
      case 'GenerateCoreDump':
      case 'AttachProfiler':
      case 'StartupProfiler':
      case 'ApplyStartupHook':
        return encodeError(ErrorCode.UnknownCommand);
    }
  }
}

/** @param errorCode undefined on success */
function done(errorCode: number | undefined): Uint8Array {
  return errorCode === undefined ? encodeOk() : encodeError(errorCode);
}

function replyCodeOf(error: unknown): number {
  const isTold = error instanceof DiagnosticsIpcError || error instanceof RefusedError;
  return isTold ? error.replyCode : ErrorCode.Fail;
}

/**
 * The names of compiled JavaScript for perf, in /tmp/perf-PID.map. V8 decides at startup whether it writes them:
 * setting flags later has no effect, as tested with Node.js 20, 24 and 26.
 *
 * @param type one of `PerfMapType`
 * @returns one of `ErrorCode` if V8 does not write it
 */
export function enablePerfMap(type: number): number | undefined {
  if (type === PerfMapType.Disabled) return undefined;
  const flag = type === PerfMapType.JitDump ? '--perf-prof' : '--perf-basic-prof';
  return isStartedWith(flag) ? undefined : ErrorCode.NotSupported;
}

function isStartedWith(flag: string): boolean {
  const flags = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)];
  // V8 accepts `_` for `-`.
  return flags.some((text) => text.replaceAll('_', '-').split('=', 1)[0] === flag);
}
