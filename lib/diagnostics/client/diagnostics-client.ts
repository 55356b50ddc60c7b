/** Talks to a process through its diagnostic port: identifies it and starts sessions. One request per connection. */
import { StreamFormat } from '../../wire/diagnostics-ipc/constants.ts';
import { DiagnosticsIpcError } from '../../wire/diagnostics-ipc/error.ts';
import type { MessageCursor } from '../../wire/diagnostics-ipc/message-cursor.ts';
import {
  type ProcessInfo,
  type ProcessInfoVersion,
  readProcessInfo,
} from '../../wire/diagnostics-ipc/process-info.ts';
import { encodeRequest, type Request } from '../../wire/diagnostics-ipc/request.ts';
import {
  leastVersion,
  type StreamingTracing,
  type TracingVersion,
} from '../../wire/diagnostics-ipc/tracing.ts';
import { DiagnosticsClientError, refusal } from './client-error.ts';
import { ANSWER_TIMEOUT_MS, Connection, type Target } from './connection.ts';
import { TracingSession } from './tracing-session.ts';

export class DiagnosticsClient {
  readonly #target: Target;
  readonly #timeoutMs: number;

  constructor(target: Target, timeoutMs: number = ANSWER_TIMEOUT_MS) {
    this.#target = target;
    this.#timeoutMs = timeoutMs;
  }

  /** @param address of the process's port: the path of a Unix socket, or the name of a Windows pipe */
  static at(address: string, processId: number, timeoutMs: number = ANSWER_TIMEOUT_MS): DiagnosticsClient {
    const name = `Process ${processId}`;
    return new DiagnosticsClient(
      { name, connect: () => Connection.open(address, name, timeoutMs) },
      timeoutMs,
    );
  }

  /**
   * @param signal gives up waiting for the answer
   * @throws DiagnosticsClientError
   */
  async processInfo(signal?: AbortSignal): Promise<ProcessInfo> {
    return (
      (await this.#processInfoIfKnown(3, signal)) ??
      (await this.#processInfoIfKnown(2, signal)) ??
      this.#processInfo(1, signal)
    );
  }

  /**
   * Resumes a process that is suspended at startup; has no effect on others.
   *
   * @throws DiagnosticsClientError
   */
  async resumeRuntime(): Promise<void> {
    await this.#ask({ command: 'ResumeRuntime' }, 'ResumeRuntime', () => {});
  }

  /**
   * Starts a session whose events come as a nettrace.
   *
   * @param signal gives up waiting for the answer
   * @throws DiagnosticsClientError
   */
  async collectTracing(tracing: StreamingTracing, signal?: AbortSignal): Promise<TracingSession> {
    // As old as version 1, and the one that every client uses.
    const version = Math.max(2, leastVersion(tracing)) as TracingVersion;
    const name = `CollectTracing${version}`;
    const connection = await this.#target.connect();
    const giveUp = (): void => connection.close();
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    try {
      connection.send(encodeRequest({ command: 'CollectTracing', version, tracing }));
      const reply = await connection.readReply(this.#timeoutMs);
      if (!reply.isOk) {
        const error = refusal(this.#target.name, name, reply);
        throw error.code === 'refused' && tracing.format === StreamFormat.NetTrace6
          ? this.#noFormat6()
          : error;
      }
      const sessionId = this.#read(reply.payload, (payload) => payload.uint64());
      return new TracingSession(sessionId, connection, (signal) => this.#stopTracing(sessionId, signal));
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Asks the sources of a session for their state (see `onStateRequest`), which then comes in the session's stream.
   *
   * @throws DiagnosticsClientError with the code `unsupported` from .NET's runtime
   */
  async captureState(sessionId: bigint): Promise<void> {
    await this.#ask({ command: 'CaptureState', sessionId }, 'CaptureState', () => {});
  }

  /** The reply comes once the session's events have been written. */
  async #stopTracing(sessionId: bigint, signal: AbortSignal): Promise<void> {
    const request = { command: 'StopTracing', sessionId } as const;
    await this.#ask(request, 'StopTracing', () => {}, Number.POSITIVE_INFINITY, signal);
  }

  /** @returns undefined if the process does not support this version */
  async #processInfoIfKnown(
    version: ProcessInfoVersion,
    signal: AbortSignal | undefined,
  ): Promise<ProcessInfo | undefined> {
    try {
      return await this.#processInfo(version, signal);
    } catch (error) {
      if (error instanceof DiagnosticsClientError && error.code === 'unsupported') return undefined;
      throw error;
    }
  }

  #processInfo(version: ProcessInfoVersion, signal: AbortSignal | undefined): Promise<ProcessInfo> {
    const name = version === 1 ? 'ProcessInfo' : `ProcessInfo${version}`;
    const read = (payload: MessageCursor) => readProcessInfo(payload, version);
    return this.#ask({ command: 'ProcessInfo', version }, name, read, this.#timeoutMs, signal);
  }

  async #ask<T>(
    request: Request,
    name: string,
    read: (payload: MessageCursor) => T,
    timeoutMs: number = this.#timeoutMs,
    signal?: AbortSignal,
  ): Promise<T> {
    const connection = await this.#target.connect();
    const giveUp = (): void => connection.close();
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    try {
      connection.send(encodeRequest(request));
      const reply = await connection.readReply(timeoutMs);
      if (reply.isOk) return this.#read(reply.payload, read);
      throw refusal(this.#target.name, name, reply);
    } finally {
      signal?.removeEventListener('abort', giveUp);
      connection.close();
    }
  }

  #read<T>(payload: MessageCursor, read: (payload: MessageCursor) => T): T {
    try {
      return read(payload);
    } catch (error) {
      if (!(error instanceof DiagnosticsIpcError)) throw error;
      throw new DiagnosticsClientError(
        'malformed',
        `${this.#target.name} does not reply in the diagnostics protocol: ${error.message}`,
        { cause: error },
      );
    }
  }

  #noFormat6(): DiagnosticsClientError {
    return new DiagnosticsClientError(
      'unsupported',
      `${this.#target.name} cannot write nettrace version 6, only version 4.`,
    );
  }
}
