/**
 * The addon's ETW sessions: Windows itself records into an .etl file. See native/windows/recorder.h. A session outlives
 * this process.
 */
import { guidBytes } from '../wire/guid.ts';
import { type Addon, loadAddon } from './addon.ts';
import { enableReason, isGone, startReason, stopReason } from './etw-session-reasons.ts';
import { RecorderError } from './recorder-error.ts';

export interface EtwSessionOptions {
  /** Unique among sessions. */
  readonly name: string;
  /** An absolute path. */
  readonly file: string;
  /** The size of a buffer, in KiB. */
  readonly bufferSize: number;
  /** How many, for all processors together. */
  readonly buffers: number;
  /** Of the file, in MiB: the session ends before it grows larger. */
  readonly maxSize: number;
}

export interface EnabledProvider {
  /** GUID, as text. */
  readonly provider: string;
  /** Up to 255. */
  readonly level: number;
  /** 64 bits: events with one of them, or without keywords. */
  readonly keywords: bigint;
  /** With a stack for each event. */
  readonly stacks: boolean;
}

export interface EtwSessionCounts {
  readonly eventsLost: number;
  readonly buffersLost: number;
  readonly buffersWritten: number;
}

interface SessionAddon extends Addon {
  sessionStart(
    name: string,
    file: string,
    bufferKib: number,
    buffers: number,
    maxMib: number,
  ): { readonly error: number; readonly session: bigint };
  sessionEnable(
    session: bigint,
    provider: Uint8Array,
    level: number,
    anyKeyword: bigint,
    stacks: boolean,
  ): number;
  sessionStop(session: bigint): EtwSessionCounts & { readonly error: number };
  sessionQuery(session: bigint): EtwSessionCounts & { readonly error: number };
  sessionFind(name: string): { readonly error: number; readonly file: string };
  sessionStopNamed(name: string): number;
}

export class EtwSession {
  readonly #addon: SessionAddon;
  readonly #session: bigint;

  /**
   * Starts the session, with no providers yet.
   *
   * @throws RecorderError
   */
  constructor(options: EtwSessionOptions) {
    this.#addon = sessionAddon();
    const { name, file, bufferSize, buffers, maxSize } = options;
    const { error, session } = this.#addon.sessionStart(name, file, bufferSize, buffers, maxSize);
    if (error !== 0) throw new RecorderError(startReason(error, options));
    this.#session = session;
  }

  /**
   * Records the provider, in all processes that have it or will have it.
   *
   * @throws RecorderError
   */
  enable({ provider, level, keywords, stacks }: EnabledProvider): void {
    const error = this.#addon.sessionEnable(this.#session, guidBytes(provider), level, keywords, stacks);
    if (error !== 0) throw new RecorderError(enableReason(error, provider));
  }

  /** The counts so far; undefined if the session has ended, by itself or from outside. */
  query(): EtwSessionCounts | undefined {
    const { error, ...counts } = this.#addon.sessionQuery(this.#session);
    return isGone(error) ? undefined : counts;
  }

  /**
   * Ends the session, which completes its file.
   *
   * @returns undefined if it had already ended
   * @throws RecorderError
   */
  stop(): EtwSessionCounts | undefined {
    const { error, ...counts } = this.#addon.sessionStop(this.#session);
    if (isGone(error)) return undefined;
    if (error !== 0) throw new RecorderError(stopReason(error));
    return counts;
  }
}

/**
 * The file that the session of this name is writing, whoever started it; undefined if there is none, or this user may
 * not see it.
 *
 * @throws RecorderError if there is no addon
 */
export function runningEtwSession(name: string): string | undefined {
  const { error, file } = sessionAddon().sessionFind(name);
  return error === 0 ? file : undefined;
}

/**
 * Ends the session of this name, whoever started it.
 *
 * @throws RecorderError
 */
export function endEtwSession(name: string): void {
  const error = sessionAddon().sessionStopNamed(name);
  if (error !== 0 && !isGone(error)) throw new RecorderError(stopReason(error));
}

function sessionAddon(): SessionAddon {
  const addon = loadAddon();
  if ('reason' in addon) throw new RecorderError(addon.reason);
  return addon as SessionAddon;
}
