/**
 * The addon's recorder: a ring buffer a processor, and a thread that writes what arrives there to a file or a
 * pipe. See native/recorder.h.
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
  /** Records that found no room in a ring; complete once the recording is done. */
  readonly lost: number;
  /** Of these, the ones that records in the file tell of. */
  readonly lostInFile: number;
  /** Of all samples; 0: none. */
  readonly firstTime: bigint;
  readonly lastTime: bigint;
  /** The system's number of why the file could not be written on, which has ended the recording. */
  readonly error: number;
  /** All that was recorded is in the file. */
  readonly done: boolean;
}

/** One moment by two clocks, in nanoseconds. */
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

/** As perf names it in its files: for hosts and guests alike. */
const SIDE_BAND_NAME = 'dummy:HG';

export class Recorder {
  /** The event that brings the names of threads. */
  readonly sideBand: RecordedEvent;
  readonly #addon: RecorderAddon;
  readonly #handle: unknown;

  /**
   * Opens a ring on each processor; nothing is recorded yet.
   *
   * @param cpus their numbers
   * @param ringSize of each, in bytes: a power of two of pages
   * @throws RecorderError
   */
  constructor(cpus: readonly number[], ringSize: number) {
    this.#addon = recorderAddon();
    // Woken early enough that the rest of the ring holds what comes meanwhile.
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

  /** This moment. */
  clocks(): ClockPair {
    return this.#addon.recorderClocks();
  }

  /**
   * Records from now on, to the end of the file that this descriptor has open.
   *
   * @throws RecorderError
   */
  start(file: number): void {
    const error = this.#addon.recorderStart(this.#handle, file);
    if (error !== 0) throw recorderOpenError(error, 'start');
  }

  /**
   * Records from now on, into a pipe. Records that are not read in time fill the rings, and then are lost.
   *
   * @returns the pipe's end to read from, which the caller closes
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
   * Records this tracepoint too.
   *
   * @param name with the system, as files name it
   * @param announce called before its first event can come
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
   * @returns where they stand
   * @throws RecorderError
   */
  append(records: Uint8Array): number {
    const { error, position } = this.#addon.recorderAppend(this.#handle, records);
    if (error !== 0) throw new RecorderError(`The file cannot be written (${systemErrorName(error)}).`);
    return position;
  }

  /** Asks for the end, which has come when the counts say that it is done. */
  stop(): void {
    this.#addon.recorderStop(this.#handle);
  }

  counts(): RecorderCounts {
    return this.#addon.recorderCounts(this.#handle);
  }
}

/**
 * To be called before anything of the system is asked.
 *
 * @throws RecorderError where nothing can be recorded, whatever the permissions
 */
export function requireRecorderPlatform(): void {
  if (process.platform !== 'linux') {
    throw new RecorderError(`Recording works on Linux and Windows, and this is ${process.platform}.`);
  }
  if (endianness() !== 'LE') {
    throw new RecorderError('Recording works on little-endian machines, and this is none.');
  }
}

function recorderAddon(): RecorderAddon {
  const addon = loadAddon();
  if ('reason' in addon) throw new RecorderError(addon.reason);
  return addon as RecorderAddon;
}
