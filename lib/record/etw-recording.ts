/** A recording of some providers' ETW events, system-wide, into an .etl file, from start to end. */

import { readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ACTIVITY_RUN } from '../activity/runs.ts';
import { ACTIVITY_SWITCH } from '../activity/switches.ts';
import { TASK_EVENTS } from '../activity/task-hops.ts';
import { dumpName, replacingFile } from '../base/output-file.ts';
import { systemCodeOf } from '../base/system-code.ts';
import { RuntimeKeywords } from '../known/automatic.ts';
import { runningEtwSession } from '../platform/etw-session.ts';
import { RECORDING_NAME } from '../platform/etw-session-reasons.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { ALL_KEYWORDS } from '../wire/schema.ts';
import type { EtwProviderOptions } from './etw-provider-options.ts';
import { EtwSession } from './etw-session.ts';
import type { EtwSessionMode } from './etw-session-options.ts';
import type { SelectionOptions } from './tracepoint-selection.ts';

/** An event has up to 64 KiB, and a buffer has a header. */
const BUFFER_BYTES = 128 << 10;
/** ETW's minimum, per processor. */
const MIN_BUFFERS = 2;

/** Who runs when, and where: what shows who used the CPU. */
const CPU_EVENTS = ['process', 'thread', 'imageLoad', 'profile'] as const;
/** V8's provider, which names the functions of JavaScript. */
const V8 = '57277741-3638-4a4b-bdba-0ac6e45da56c';
/** What threads run: what CPU samples are charged by, and what `tracewright explain` needs. */
const RUNS = { level: ACTIVITY_RUN.level, keywords: ACTIVITY_SWITCH.keyword | ACTIVITY_RUN.keyword };

/** All keywords but that of ActivityCode, which has the level of runs: reading stacks is for those who ask. */
const UNASKED = ALL_KEYWORDS ^ RuntimeKeywords.ActivityCode;

/** Node.js's own events up to this level exclude activity switches. */
const VERBOSE = 5;

/** Makes activity ids flow. */
const ACTIVITIES = { level: 4, keywords: TASK_EVENTS.taskKeywords };

/** What a session in memory has written. */
interface EtwDump {
  readonly file: string;
  readonly bytes: number;
}

/** What kind of session it is, and what it records of the providers. */
export interface EtwRecordingSession {
  readonly mode: EtwSessionMode;
  readonly independent: boolean;
  /** Asks the providers for their state at the start. */
  readonly capturesState: boolean;
  readonly filters: EtwProviderOptions;
  /** Samples the CPU, too. */
  readonly cpu?: { readonly sampleIntervalMs?: number };
}

/** Providers are names or GUIDs. */
interface EtwRecordingOptions extends Omit<SelectionOptions, 'tracepoints'> {
  readonly file: string;
  readonly session: EtwRecordingSession;
  /** All buffers of a processor together have at least this size. */
  readonly minBufferBytes: number;
  readonly maxFileBytes: number;
}

export interface EtwRecordingResult {
  /** The size of the file. */
  readonly bytes: number;
  readonly eventsLost: number;
  /** Lost, with an unknown number of events. */
  readonly buffersLost: number;
  /** Why the session ended before it was stopped: its file is full, or it was ended from outside. */
  readonly endedBefore?: 'full' | 'ended';
}

export class EtwRecording {
  readonly #file: string;
  readonly #mode: EtwSessionMode;
  readonly #maxFileBytes: number;
  readonly #files: RecordedFiles;
  readonly #session: EtwSession;
  #counts = { eventsLost: 0, buffersLost: 0 };
  #hasEnded = false;

  /**
   * When this returns, the providers are being recorded, and an existing file is FILE.old, unless the session is in
   * memory. If it throws, the file is unchanged.
   *
   * @throws RecorderError
   */
  constructor(options: EtwRecordingOptions) {
    this.#file = resolve(options.file);
    this.#mode = options.session.mode;
    this.#maxFileBytes = options.maxFileBytes;
    this.#files = new RecordedFiles(this.#file, this.#mode === 'newFile');
    const start = () => startSession(this.#file, options);
    try {
      this.#session =
        this.#mode === 'memory' ? start() : replacingFile(this.#file, start, (session) => session.close());
    } catch (error) {
      if (error instanceof RecorderError) throw error;
      throw new RecorderError(`${this.#file} cannot be written (${systemCodeOf(error)}).`);
    }
    // A session outlives the process that started it, however it ends.
    process.once('exit', this.#endAtExit);
  }

  /** The current size of the file, or of all files, in bytes. */
  get bytes(): number {
    return this.#files.bytes;
  }

  /**
   * Writes the events of a session in memory into a new file.
   *
   * @throws RecorderError
   */
  dump(): EtwDump {
    const file = dumpName(this.#file);
    if (this.#session.flush(file) === undefined) throw new RecorderError('The ETW session has ended.');
    return { file, bytes: sizeOf(file) };
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
    const counts = this.#hasEnded ? undefined : this.#session.close();
    const { eventsLost, buffersLost } = counts ?? this.#counts;
    const { bytes } = this;
    const losses = { bytes, eventsLost, buffersLost };
    if (counts !== undefined) return losses;
    if (this.#mode !== 'sequential') return { ...losses, endedBefore: 'ended' };
    // ETW ends a session if another buffer would exceed the file's limit.
    const isFull = bytes + BUFFER_BYTES > this.#maxFileBytes;
    return { ...losses, endedBefore: isFull ? 'full' : 'ended' };
  }

  readonly #endAtExit = (): void => {
    try {
      this.#session.close();
    } catch {
      // There is no one left to tell.
    }
  };
}

/**
 * The files of a recording: one, or those with numbers in the place of `%d`. Among these may be files of earlier
 * recordings: they are as they were before this one began, whatever the clock says now and said then.
 */
export class RecordedFiles {
  readonly #path: string;
  readonly #isNumbered: boolean;
  /** Sizes and times of the files that existed before, by name. */
  readonly #before: ReadonlyMap<string, string>;

  /** Make one before the recording begins. */
  constructor(path: string, isNumbered: boolean) {
    this.#path = path;
    this.#isNumbered = isNumbered;
    this.#before = new Map(isNumbered ? this.#numbered().map(({ name, state }) => [name, state]) : []);
  }

  /** The size of all files. */
  get bytes(): number {
    if (!this.#isNumbered) return sizeOf(this.#path);
    const own = this.#numbered().filter(({ name, state }) => this.#before.get(name) !== state);
    return own.reduce((sum, { size }) => sum + size, 0);
  }

  #numbered() {
    const folder = dirname(this.#path);
    const [before = '', after = ''] = basename(this.#path).split('%d');
    return readdirSync(folder).flatMap((name) => {
      const isOne = name.startsWith(before) && name.endsWith(after);
      if (!isOne || !/^\d+$/.test(name.slice(before.length, name.length - after.length))) return [];
      const stats = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return [];
      const { ino, size, mtimeNs } = stats;
      return [{ name, size: Number(size), state: `${ino} ${size} ${mtimeNs}` }];
    });
  }
}

/** The file that the session of an earlier recording is still writing, although its program may be gone. */
export function leftBehindEtwFile(): string | undefined {
  return runningEtwSession(RECORDING_NAME);
}

/** Ends that session. @throws RecorderError */
export function endLeftBehindEtwSession(): void {
  EtwSession.open(RECORDING_NAME)?.close();
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function startSession(file: string, options: EtwRecordingOptions): EtwSession {
  const { minBufferBytes, maxFileBytes } = options;
  const { mode, independent, cpu } = options.session;
  const session = EtwSession.start({
    name: RECORDING_NAME,
    mode,
    ...(mode !== 'memory' && { file, maxFileBytes }),
    independent,
    ...(cpu && { system: { events: CPU_EVENTS, ...cpu } }),
    bufferBytes: BUFFER_BYTES,
    buffers: availableParallelism() * Math.max(MIN_BUFFERS, Math.ceil(minBufferBytes / BUFFER_BYTES)),
  });
  try {
    enableProviders(session, options);
  } catch (error) {
    session.close();
    if (mode !== 'memory') rmSync(file, { force: true });
    throw error;
  }
  return session;
}

function enableProviders(
  session: EtwSession,
  { providers = [], level, keywords, session: { filters, capturesState, cpu } }: EtwRecordingOptions,
): void {
  session.enable(TASK_EVENTS.guid, ACTIVITIES);
  if (cpu !== undefined) {
    session.enable(V8, { level: VERBOSE });
    session.enable(ACTIVITY_SWITCH.provider, RUNS);
  }
  for (const provider of providers) {
    const options = { ...filters, ...(level && { level }), ...(keywords !== undefined && { keywords }) };
    // Enabled again, a provider is recorded as asked last.
    const hasRuns = provider === ACTIVITY_SWITCH.provider;
    const own = hasRuns ? { ...options, ...runsToo(options, cpu !== undefined) } : options;
    session.enable(provider, own);
    if (capturesState) session.captureState(provider, own);
  }
}

/** All of Node.js's own events, and what threads run only for those who sample or ask for a level or keywords. */
function runsToo({ level, keywords }: EtwProviderOptions, areWanted: boolean): EtwProviderOptions {
  if (!areWanted) return level === undefined && keywords === undefined ? { level: VERBOSE } : {};
  return { level: Math.max(level ?? VERBOSE, RUNS.level), keywords: (keywords ?? UNASKED) | RUNS.keywords };
}
