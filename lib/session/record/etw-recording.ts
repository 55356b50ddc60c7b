/** A recording of the whole system's ETW events of some providers into an .etl file, from its start to its end. */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { EtwSession } from '../../platform/etw-session.ts';
import { RecorderError } from '../../platform/recorder-error.ts';
import { isGuidText } from '../../wire/guid.ts';
import { providerGuid } from '../../wire/provider-guid.ts';
import { keepOldFile } from './old-file.ts';
import type { SelectionOptions } from './selection.ts';

/** One at a time, so that a session that a killed recording has left is found. */
const SESSION_NAME = 'tracewright';
/** An event has up to 64 KiB, and a buffer a header. */
const BUFFER_KIB = 128;
/** ETW's least, for each processor. */
const MIN_BUFFERS = 2;

/** 255 asks for all. */
const ALL_LEVELS = 255;
const ALL_KEYWORDS = 0xffff_ffff_ffff_ffffn;

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
}

export interface EtwRecordingResult {
  /** Of the file. */
  readonly bytes: number;
  readonly eventsLost: number;
  /** With who knows how many events. */
  readonly buffersLost: number;
}

export class EtwRecording {
  readonly #file: string;
  readonly #session: EtwSession;

  /**
   * When this returns, the providers are recorded. A file that is there is renamed to FILE.old.
   *
   * @throws RecorderError
   */
  constructor({ file, providers = [], level, keywords, stacks, bufferSize }: EtwRecordingOptions) {
    this.#file = resolve(file);
    makeRoom(this.#file);
    this.#session = new EtwSession({
      name: SESSION_NAME,
      file: this.#file,
      bufferSize: BUFFER_KIB,
      buffers: availableParallelism() * Math.max(MIN_BUFFERS, Math.ceil(bufferSize / (1024 * BUFFER_KIB))),
    });
    try {
      this.#session.enable(ACTIVITIES);
      for (const provider of providers) {
        this.#session.enable({
          provider: isGuidText(provider) ? provider : providerGuid(provider),
          level: level ?? ALL_LEVELS,
          keywords: keywords ?? ALL_KEYWORDS,
          stacks,
        });
      }
    } catch (error) {
      this.#session.stop();
      throw error;
    }
  }

  /**
   * Ends the recording; its file is complete then.
   *
   * @throws RecorderError
   */
  stop(): EtwRecordingResult {
    const { eventsLost, buffersLost } = this.#session.stop();
    return { bytes: statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0, eventsLost, buffersLost };
  }
}

function makeRoom(file: string): void {
  try {
    keepOldFile(file);
  } catch (error) {
    throw new RecorderError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
