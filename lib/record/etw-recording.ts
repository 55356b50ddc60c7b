/** A recording of some providers' ETW events, system-wide, into an .etl file, from start to end. */

import { rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ACTIVITY_SWITCH } from '../activity/switches.ts';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import { systemCodeOf } from '../base/system-code.ts';
import { runningEtwSession } from '../platform/etw-session.ts';
import { RECORDING_NAME } from '../platform/etw-session-reasons.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { EtwSession, endEtwSession } from './etw-session.ts';
import { replacingFile } from './replacing-file.ts';
import type { SelectionOptions } from './tracepoint-selection.ts';

/** An event has up to 64 KiB, and a buffer has a header. */
const BUFFER_KIB = 128;
/** ETW's minimum, per processor. */
const MIN_BUFFERS = 2;

const MIB = 1 << 20;

/** Of Node.js's own events, without activity switches. */
const VERBOSE = 5;

/** Makes .NET and tracewright flow activity ids: TplEventSource with its keyword TasksFlowActivityIds. */
const ACTIVITIES = {
  level: 4,
  keywords: 0x80n,
};

/** Providers are names or GUIDs. */
export interface EtwRecordingOptions extends Omit<SelectionOptions, 'tracepoints'> {
  readonly file: string;
  /** With the stack of each event. */
  readonly stacks: boolean;
  /** Buffer size per processor, in bytes. */
  readonly bufferSize: number;
  /** Of the file, in MiB. */
  readonly maxSize: number;
}

export interface EtwRecordingResult {
  /** Of the file. */
  readonly bytes: number;
  readonly eventsLost: number;
  /** Lost, with an unknown number of events. */
  readonly buffersLost: number;
  /** Why the session ended before it was stopped: its file is full, or it was ended from outside. */
  readonly endedBefore?: 'full' | 'ended';
}

export class EtwRecording {
  readonly #file: string;
  readonly #maxSize: number;
  readonly #session: EtwSession;
  #counts = { eventsLost: 0, buffersLost: 0 };
  #hasEnded = false;

  /**
   * When this returns, the providers are being recorded, and an existing file is FILE.old. If it throws, the file is
   * unchanged.
   *
   * @throws RecorderError
   */
  constructor(options: EtwRecordingOptions) {
    this.#file = resolve(options.file);
    this.#maxSize = options.maxSize;
    try {
      this.#session = replacingFile(
        this.#file,
        () => startSession(this.#file, options),
        (session) => session.stop(),
      );
    } catch (error) {
      if (error instanceof RecorderError) throw error;
      throw new RecorderError(`${this.#file} cannot be written (${systemCodeOf(error)}).`);
    }
    // A session outlives the process that started it, however it ends.
    process.once('exit', this.#endAtExit);
  }

  /** The current size of the file in bytes. */
  get bytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Whether the session has ended by itself or from outside. */
  hasEnded(): boolean {
    if (this.#hasEnded) return true;
    const counts = this.#session.query();
    this.#hasEnded = counts === undefined;
    this.#counts = counts ?? this.#counts;
    return this.#hasEnded;
  }

  /**
   * Ends the recording, which completes its file.
   *
   * @throws RecorderError
   */
  stop(): EtwRecordingResult {
    process.off('exit', this.#endAtExit);
    const counts = this.#hasEnded ? undefined : this.#session.stop();
    const { eventsLost, buffersLost } = counts ?? this.#counts;
    const { bytes } = this;
    const losses = { bytes, eventsLost, buffersLost };
    if (counts !== undefined) return losses;
    // ETW ends a session if another buffer would exceed the file's limit.
    const isFull = bytes + BUFFER_KIB * 1024 > this.#maxSize * MIB;
    return { ...losses, endedBefore: isFull ? 'full' : 'ended' };
  }

  readonly #endAtExit = (): void => {
    try {
      this.#session.stop();
    } catch {
      // There is no one left to tell.
    }
  };
}

/** The file that the session of an earlier recording is still writing, although its program may be gone. */
export function leftBehindEtwFile(): string | undefined {
  return runningEtwSession(RECORDING_NAME);
}

/** Ends that session. @throws RecorderError */
export function endLeftBehindEtwSession(): void {
  endEtwSession(RECORDING_NAME);
}

function startSession(
  file: string,
  { providers = [], level, keywords, stacks, bufferSize, maxSize }: EtwRecordingOptions,
): EtwSession {
  const session = EtwSession.start({
    name: RECORDING_NAME,
    file,
    bufferSize: BUFFER_KIB,
    buffers: availableParallelism() * Math.max(MIN_BUFFERS, Math.ceil(bufferSize / (1024 * BUFFER_KIB))),
    maxSize,
  });
  try {
    session.enable(TASK_EVENTS.guid, ACTIVITIES);
    for (const provider of providers) {
      const isOfSwitches = keywords === undefined && provider === ACTIVITY_SWITCH.provider;
      const upTo = level ?? (isOfSwitches ? VERBOSE : undefined);
      session.enable(provider, {
        ...(upTo !== undefined && { level: upTo }),
        ...(keywords !== undefined && { keywords }),
        stacks,
      });
    }
  } catch (error) {
    session.stop();
    rmSync(file, { force: true });
    throw error;
  }
  return session;
}
