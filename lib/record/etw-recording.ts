/** A recording of the whole system's ETW events of some providers into an .etl file, from its start to its end. */

import { rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { systemCodeOf } from '../base/system-code.ts';
import {
  EtwSession,
  type EtwSessionCounts,
  endEtwSession,
  runningEtwSession,
} from '../platform/etw-session.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { isGuidText } from '../wire/guid.ts';
import { providerGuid } from '../wire/provider-guid.ts';
import { ALL_KEYWORDS } from '../wire/schema.ts';
import { replacingFile } from './replacing-file.ts';
import type { SelectionOptions } from './tracepoint-selection.ts';

/** One at a time, so that the next recording finds a session that a killed one has left behind. */
const SESSION_NAME = 'tracewright';
/** An event has up to 64 KiB, and a buffer a header. */
const BUFFER_KIB = 128;
/** ETW's least, for each processor. */
const MIN_BUFFERS = 2;

const MIB = 1 << 20;

/** 255 asks for all. */
const ALL_LEVELS = 255;

/** Asks .NET, and tracewright, for activity ids: TplEventSource with its keyword TasksFlowActivityIds. */
const ACTIVITIES = {
  provider: '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5',
  level: 4,
  keywords: 0x80n,
  stacks: false,
};

/** Providers are names or GUIDs. */
export interface EtwRecordingOptions extends Omit<SelectionOptions, 'tracepoints'> {
  readonly file: string;
  /** With the stack of each event. */
  readonly stacks: boolean;
  /** Of the buffers of each processor, in bytes. */
  readonly bufferSize: number;
  /** Of the file, in MiB. */
  readonly maxSize: number;
}

export interface EtwRecordingResult {
  /** Of the file. */
  readonly bytes: number;
  readonly eventsLost: number;
  /** With who knows how many events. */
  readonly buffersLost: number;
  /** Why the session ended before it was stopped: its file is full, or somebody else has ended it. */
  readonly endedBefore?: 'full' | 'ended';
}

export class EtwRecording {
  readonly #file: string;
  readonly #maxSize: number;
  readonly #session: EtwSession;
  #counts: EtwSessionCounts = { eventsLost: 0, buffersLost: 0, buffersWritten: 0 };
  #hasEnded = false;

  /**
   * When this returns, the providers are recorded, and a file that was there is FILE.old. When it throws, the file is
   * what it was.
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
    // A session outlives the process that started it, whatever ends that.
    process.once('exit', this.#endAtExit);
  }

  /** Of the file, in bytes, so far. */
  get bytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Whether the session has ended by itself, or somebody else has ended it. */
  hasEnded(): boolean {
    if (this.#hasEnded) return true;
    const counts = this.#session.query();
    this.#hasEnded = counts === undefined;
    this.#counts = counts ?? this.#counts;
    return this.#hasEnded;
  }

  /**
   * Ends the recording; its file is complete then.
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
    // ETW ends a session when one more buffer would be too much for the file.
    const isFull = bytes + BUFFER_KIB * 1024 > this.#maxSize * MIB;
    return { ...losses, endedBefore: isFull ? 'full' : 'ended' };
  }

  readonly #endAtExit = (): void => {
    try {
      this.#session.stop();
    } catch {
      // Nobody is left to tell.
    }
  };
}

/** The file that the session of an earlier recording still writes, whose program may be gone. */
export function leftBehindEtwFile(): string | undefined {
  return runningEtwSession(SESSION_NAME);
}

/** Ends that session. @throws RecorderError */
export function endLeftBehindEtwSession(): void {
  endEtwSession(SESSION_NAME);
}

function startSession(
  file: string,
  { providers = [], level, keywords, stacks, bufferSize, maxSize }: EtwRecordingOptions,
): EtwSession {
  const session = new EtwSession({
    name: SESSION_NAME,
    file,
    bufferSize: BUFFER_KIB,
    buffers: availableParallelism() * Math.max(MIN_BUFFERS, Math.ceil(bufferSize / (1024 * BUFFER_KIB))),
    maxSize,
  });
  try {
    session.enable(ACTIVITIES);
    for (const provider of providers) {
      session.enable({
        provider: isGuidText(provider) ? provider : providerGuid(provider),
        level: level ?? ALL_LEVELS,
        keywords: keywords ?? ALL_KEYWORDS,
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
