/**
 * The addon's recorder: one ring buffer per processor, and a thread that writes their contents to a file or a pipe. See
 * native/recorder.h.
 */

import { closeSync } from 'node:fs';
import { endianness } from 'node:os';
import { systemErrorName } from '../base/system-code.ts';
import {
  overwrittenRingAttr,
  SAMPLE_TIME_OFFSET,
  type ScopeOptions,
  sideBandAttr,
  tracepointAttr,
  WHOLE_SYSTEM,
} from '../wire/perf-data/write/attr.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { FINISHED_ROUND } from '../wire/perf-data/write/records.ts';
import { linuxAddon } from './addon.ts';
import type { ClockPair, LinuxAddon, RecorderCounts } from './addon-functions.ts';
import { needed, RecorderError } from './recorder-error.ts';
import { recorderAddReason, recorderOpenError } from './recorder-reasons.ts';

export interface RecorderOptions {
  /** Their numbers. */
  readonly cpus: readonly number[];
  /** The size of each processor's ring in bytes: a power of two pages. */
  readonly ringSize: number;
  /** Whether the rings keep the latest events, for `dump`, in place of writing all of them to a file. */
  readonly isOverwritten?: boolean;
  /** Whose names of threads are recorded, and whether with mappings. */
  readonly scope?: ScopeOptions;
  readonly hasMappings?: boolean;
  /** Records one of the threads of that scope; 0 is this one. */
  readonly thread?: number;
}

const EVERY_THREAD = -1;
/** The rings for the names of threads and for mappings, if those of events are overwritten. */
const SIDE_RING_SIZE = 256 << 10;
/** So much of that is kept. */
const SIDE_SIZE = 8 << 20;
const NO_THREADS = new Int32Array(0);
/** Perf's name for it in files, on hosts and guests alike. */
const SIDE_BAND_NAME = 'dummy:HG';

export class Recorder {
  /** The event that provides thread names. */
  sideBand: RecordedEvent;
  readonly #addon: LinuxAddon;
  readonly #handle: unknown;
  readonly #isOverwritten: boolean;

  /**
   * Opens a ring per processor, without recording yet.
   *
   * @throws RecorderError
   */
  constructor(options: RecorderOptions) {
    const { cpus, ringSize, isOverwritten = false, scope = WHOLE_SYSTEM, thread = EVERY_THREAD } = options;
    this.#addon = needed(linuxAddon());
    this.#isOverwritten = isOverwritten;
    const sideRingSize = isOverwritten ? SIDE_RING_SIZE : ringSize;
    // Wakes up early enough that the rest of the ring holds what arrives meanwhile.
    const attr = sideBandAttr(sideRingSize / 4, scope, options.hasMappings);
    const { error, step, ids, handle } = this.#addon.recorderOpen(
      attr,
      Uint32Array.from(cpus),
      sideRingSize,
      SAMPLE_TIME_OFFSET,
      FINISHED_ROUND,
      thread,
      isOverwritten ? overwrittenRingAttr(scope) : new Uint8Array(0),
      ringSize,
      SIDE_SIZE,
    );
    if (error !== 0) throw recorderOpenError(error, step);
    this.#handle = handle;
    this.sideBand = { name: SIDE_BAND_NAME, attr, ids: [...ids] };
  }

  /** The current moment. */
  clocks(): ClockPair {
    return this.#addon.recorderClocks();
  }

  /**
   * Records from now on, at the end of the file open on this descriptor; none if the rings are overwritten.
   *
   * @throws RecorderError
   */
  start(file = -1): void {
    const error = this.#addon.recorderStart(this.#handle, file);
    if (error !== 0) throw recorderOpenError(error, 'start');
  }

  /**
   * Records from now on, into a pipe. Records that are not read in time fill the rings and are then lost.
   *
   * @returns the read end of the pipe, which the caller must close
   * @throws RecorderError
   */
  startPipe(): number {
    const { error, readEnd, writeEnd } = this.#addon.recorderPipe();
    if (error !== 0) throw recorderOpenError(error, 'pipe');
    try {
      this.start(writeEnd);
      return readEnd;
    } catch (failure) {
      closeSync(readEnd);
      throw failure;
    } finally {
      // The recorder has its own.
      closeSync(writeEnd);
    }
  }

  /**
   * Adds a tracepoint to the recording.
   *
   * @param name including the system, as in files
   * @param announce called before its first event can arrive
   * @throws RecorderError
   */
  add(name: string, tracepointId: number, announce?: (event: RecordedEvent) => void): RecordedEvent {
    const attr = tracepointAttr(tracepointId, this.#isOverwritten);
    const { error, ids } = this.#addon.recorderAdd(this.#handle, attr, NO_THREADS);
    if (error !== 0) throw new RecorderError(recorderAddReason(error, name));
    const event = { name, attr, ids: [...ids] };
    announce?.(event);
    const refusal = this.enable();
    if (refusal !== 0) throw new RecorderError(recorderAddReason(refusal, name));
    return event;
  }

  /**
   * Prepares an event of these threads, or of all if there are none. The next one replaces it unless it is enabled.
   *
   * @returns the system's error number in place of an event that it refuses
   */
  prepare(name: string, attr: Uint8Array, threads: readonly number[]): RecordedEvent | number {
    const { error, ids } = this.#addon.recorderAdd(this.#handle, attr, Int32Array.from(threads));
    return error === 0 ? { name, attr, ids: [...ids] } : error;
  }

  /** Provides the names of these threads as well. @throws RecorderError */
  extendSideBand(threads: readonly number[]): void {
    if (threads.length === 0) return;
    const { name, attr, ids } = this.sideBand;
    const more = this.prepare(name, attr, threads);
    const error = typeof more === 'number' ? more : this.enable();
    if (typeof more === 'number' || error !== 0) throw recorderOpenError(error, 'perf_event_open');
    this.sideBand = { name, attr, ids: [...ids, ...more.ids] };
  }

  /** Records what was prepared. @returns the system's error number, or 0 */
  enable(): number {
    return this.#addon.recorderEnable(this.#handle);
  }

  /**
   * Appends records of our own to the file, between those of the kernel.
   *
   * @returns their position
   * @throws RecorderError
   */
  append(records: Uint8Array): number {
    const { error, position } = this.#addon.recorderAppend(this.#handle, records);
    if (error !== 0) {
      // If the recorder's own thread has failed before, its file takes nothing more: the reason is that failure's.
      const reason = this.counts().error || error;
      throw new RecorderError(`The file cannot be written (${systemErrorName(reason)}).`);
    }
    return position;
  }

  /**
   * Appends the latest records to the file open on this descriptor, in the order of time.
   *
   * @returns counts of these
   */
  dump(file: number): RecorderCounts {
    return this.#addon.recorderDump(this.#handle, file);
  }

  /** Requests the end, which is reached when the counts say that it is done. */
  stop(): void {
    this.#addon.recorderStop(this.#handle);
  }

  counts(): RecorderCounts {
    return this.#addon.recorderCounts(this.#handle);
  }
}

/**
 * Call this before making any requests to the system.
 *
 * @throws RecorderError if recording is impossible, whatever the permissions
 */
export function requireRecorderPlatform(): void {
  if (process.platform !== 'linux') {
    throw new RecorderError(
      `Recording works only on Linux and Windows, and this is ${process.platform}; ` +
        '"tracewright collect" and "live -p PID" need no tracer.',
    );
  }
  if (endianness() !== 'LE') {
    throw new RecorderError('Recording works only on little-endian machines, and this is a big-endian one.');
  }
}
