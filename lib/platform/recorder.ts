/**
 * The addon's recorder: one ring buffer per processor, and a thread that writes their contents to a file or a pipe. See
 * native/recorder.h.
 */
import { closeSync } from 'node:fs';
import { endianness } from 'node:os';
import { SAMPLE_TIME_OFFSET, sideBandAttr, tracepointAttr } from '../wire/perf-data/write/attr.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { FINISHED_ROUND } from '../wire/perf-data/write/records.ts';
import { type Addon, loadAddon } from './addon.ts';
import { RecorderError } from './recorder-error.ts';
import { recorderAddReason, recorderOpenError, systemErrorName } from './recorder-reasons.ts';

export interface RecorderCounts {
  /** Samples in the file. */
  readonly events: number;
  /** Appended to the file. */
  readonly bytes: number;
  /** Records for which a ring had no room; final once the recording has ended. */
  readonly lost: number;
  /** Of these, the ones reported by records in the file. */
  readonly lostInFile: number;
  /** Of all samples; 0 if there are none. */
  readonly firstTime: bigint;
  readonly lastTime: bigint;
  /** The system's error number if writing the file failed, which ended the recording. */
  readonly error: number;
  /** Everything recorded is in the file. */
  readonly done: boolean;
}

/** The same moment on two clocks, in nanoseconds. */
export interface ClockPair {
  readonly wall: bigint;
  readonly monotonic: bigint;
}

interface RecorderAddon extends Addon {
  recorderOpen(
    attr: Uint8Array,
    cpus: Uint32Array,
    ringSize: number,
    sampleTimeAt: number,
    mark: Uint8Array,
  ): {
    readonly error: number;
    readonly step: string;
    readonly ids: BigUint64Array;
    readonly handle: unknown;
  };
  recorderStart(handle: unknown, file: number): number;
  recorderClocks(): ClockPair;
  recorderPipe(): { readonly error: number; readonly readEnd: number; readonly writeEnd: number };
  recorderAdd(handle: unknown, attr: Uint8Array): { readonly error: number; readonly ids: BigUint64Array };
  recorderEnable(handle: unknown): number;
  recorderAppend(handle: unknown, records: Uint8Array): { readonly error: number; readonly position: number };
  recorderStop(handle: unknown): void;
  recorderCounts(handle: unknown): RecorderCounts;
}

/** Perf's name for it in files, on hosts and guests alike. */
const SIDE_BAND_NAME = 'dummy:HG';

export class Recorder {
  /** The event that provides thread names. */
  readonly sideBand: RecordedEvent;
  readonly #addon: RecorderAddon;
  readonly #handle: unknown;

  /**
   * Opens a ring per processor, without recording yet.
   *
   * @param cpus their numbers
   * @param ringSize of each, in bytes: a power of two pages
   * @throws RecorderError
   */
  constructor(cpus: readonly number[], ringSize: number) {
    this.#addon = recorderAddon();
    // Wakes up early enough that the rest of the ring holds what arrives meanwhile.
    const attr = sideBandAttr(ringSize / 4);
    const { error, step, ids, handle } = this.#addon.recorderOpen(
      attr,
      Uint32Array.from(cpus),
      ringSize,
      SAMPLE_TIME_OFFSET,
      FINISHED_ROUND,
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
   * Records from now on, at the end of the file open on this descriptor.
   *
   * @throws RecorderError
   */
  start(file: number): void {
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
   * Also records this tracepoint.
   *
   * @param name including the system, as in files
   * @param announce called before its first event can arrive
   * @throws RecorderError
   */
  add(name: string, tracepointId: number, announce?: (event: RecordedEvent) => void): RecordedEvent {
    const attr = tracepointAttr(tracepointId);
    const { error, ids } = this.#addon.recorderAdd(this.#handle, attr);
    if (error !== 0) throw new RecorderError(recorderAddReason(error, name));
    const event = { name, attr, ids: [...ids] };
    announce?.(event);
    const refusal = this.#addon.recorderEnable(this.#handle);
    if (refusal !== 0) throw new RecorderError(recorderAddReason(refusal, name));
    return event;
  }

  /**
   * Appends records of our own to the file, between those of the kernel.
   *
   * @returns their position
   * @throws RecorderError
   */
  append(records: Uint8Array): number {
    const { error, position } = this.#addon.recorderAppend(this.#handle, records);
    if (error !== 0) throw new RecorderError(`The file cannot be written (${systemErrorName(error)}).`);
    return position;
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
    throw new RecorderError(`Recording works only on Linux and Windows, and this is ${process.platform}.`);
  }
  if (endianness() !== 'LE') {
    throw new RecorderError('Recording works only on little-endian machines, and this is a big-endian one.');
  }
}

function recorderAddon(): RecorderAddon {
  const addon = loadAddon();
  if ('reason' in addon) throw new RecorderError(addon.reason);
  return addon as RecorderAddon;
}
