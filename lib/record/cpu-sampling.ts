/**
 * The CPU samples of a recording: stacks of what runs on the processors, on the same rings and clock as its events.
 * Source: perf_event_open(2).
 */
import { readFileSync } from 'node:fs';
import { EVERY_THREAD, Recorder } from '../platform/recorder.ts';
import { PerfEventsError, RecorderError } from '../platform/recorder-error.ts';
import { recorderAddReason, systemErrorName } from '../platform/recorder-reasons.ts';
import { cpuSampleAttr, type EventScope, sideBandAttr } from '../wire/perf-data/write/attr.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { kernelMappings, numbersIn, processMappings } from './code-mappings.ts';

/** perf's name. */
const EVENT_NAME = 'cpu-clock';
/** An unprivileged user may have rings of this size: see perf_event_mlock_kb. */
const UNPRIVILEGED_RING_SIZE = 512 << 10;
/** The ids of their events fit into a record. */
const MAX_EVENTS = 8000;
const MAX_RATE_FILE = '/proc/sys/kernel/perf_event_max_sample_rate';
/** Mappings are appended in pieces. */
const BATCH_SIZE = 1 << 16;
/** Stands for the command: it inherits the events of the thread that starts it. */
const THIS_THREAD = 0;

export interface CpuOptions {
  /** Samples per second of each processor. */
  readonly frequency: number;
  /** Whose: all processes', those of a command that this process starts, or those of one process. */
  readonly of: 'system' | 'command' | number;
}

export class CpuSampling {
  readonly recorder: Recorder;
  /** Why events of the whole system cannot be recorded as well, as a sentence. */
  readonly refusal: string | undefined;
  readonly event: RecordedEvent;
  /** What is unusual, in sentences. */
  readonly notices: string[] = [];
  /** What is missing, in sentences. */
  readonly problems: string[] = [];
  readonly #of: CpuOptions['of'];
  readonly #excludesKernel: boolean;

  /**
   * Opens a recorder with a prepared event; nothing is recorded yet.
   *
   * @throws RecorderError
   */
  constructor({ frequency, of }: CpuOptions, cpus: readonly number[], ringSize: number) {
    this.#of = of;
    const threads = threadsOf(of, cpus.length);
    const scope: EventScope = of === 'system' ? of : of === 'command' ? 'programs' : 'threads';
    try {
      // It records mappings before `begin` looks for earlier ones.
      const attr = sideBandAttr(ringSize / 4, undefined, of === 'system');
      this.recorder = new Recorder(attr, cpus, ringSize);
    } catch (error) {
      if (!(error instanceof PerfEventsError) || threads.length === 0) throw error;
      this.recorder = recorderOf(threads, scope, cpus, Math.min(ringSize, UNPRIVILEGED_RING_SIZE));
      this.refusal = error.message;
    }
    const rate = this.#allowedRate(frequency);
    const prepare = (excludesKernel: boolean) =>
      this.recorder.prepare(EVENT_NAME, cpuSampleAttr(rate, { scope, excludesKernel }), threads);
    let event = prepare(false);
    this.#excludesKernel = isRefusal(event);
    if (isRefusal(event)) event = prepare(true);
    if (typeof event === 'number') throw new RecorderError(recorderAddReason(event, 'The CPU'));
    this.event = event;
    if (this.#excludesKernel) {
      this.notices.push('The stacks end where the kernel begins: this user may not look into it.');
    }
  }

  /**
   * Starts to sample, once readers have been told which code is where.
   *
   * @throws RecorderError
   */
  begin(): void {
    if (!this.#excludesKernel && this.#append(kernelMappings()) === 0) {
      this.notices.push(
        'Functions of the kernel will have no names, because it hides their addresses. ' +
          'As root: sysctl kernel.kptr_restrict=0',
      );
    }
    // A command maps its code while it is recorded.
    const processes = this.#of === 'command' ? [] : this.#of === 'system' ? numbersIn('/proc') : [this.#of];
    const onMany = () => {
      this.problems.push('The processes have mapped too many files: some functions will have no names.');
    };
    this.#append(processMappings(processes, onMany));
    const error = this.recorder.enable();
    if (error !== 0) throw new RecorderError(recorderAddReason(error, 'The CPU'));
  }

  /** @returns how many records */
  #append(records: Iterable<Uint8Array>): number {
    let count = 0;
    let size = 0;
    let batch: Uint8Array[] = [];
    const flush = () => {
      if (batch.length > 0) this.recorder.append(Buffer.concat(batch));
      batch = [];
      size = 0;
    };
    for (const record of records) {
      count++;
      batch.push(record);
      size += record.length;
      if (size >= BATCH_SIZE) flush();
    }
    flush();
    return count;
  }

  #allowedRate(wanted: number): number {
    const rate = Number(readFileSync(MAX_RATE_FILE, 'utf8'));
    if (!(rate > 0) || wanted <= rate) return wanted;
    this.notices.push(
      `Sampling at ${rate} Hz in place of ${wanted}, the most that kernel.perf_event_max_sample_rate allows.`,
    );
    return rate;
  }
}

/** The threads to sample; none for all. @throws RecorderError */
function threadsOf(of: CpuOptions['of'], cpus: number): readonly number[] {
  if (of === 'system') return [];
  if (of === 'command') return [THIS_THREAD];
  const threads = numbersIn(`/proc/${of}/task`);
  if (threads.length === 0) throw new RecorderError(`There is no process ${of}.`);
  if (threads.length * cpus <= MAX_EVENTS) return threads;
  throw new RecorderError(
    `Process ${of} has ${threads.length} threads, too many to sample each on ${cpus} processors: ` +
      'omit -p to sample the whole system.',
  );
}

/** For a user who may not record the whole system. @throws RecorderError */
function recorderOf(
  threads: readonly number[],
  scope: EventScope,
  cpus: readonly number[],
  ringSize: number,
): Recorder {
  const attr = sideBandAttr(ringSize / 4, { scope, excludesKernel: true });
  const recorder = new Recorder(attr, cpus, ringSize, threads[0] ?? EVERY_THREAD);
  recorder.extendSideBand(threads.slice(1));
  return recorder;
}

function isRefusal(event: RecordedEvent | number): boolean {
  return typeof event === 'number' && ['EACCES', 'EPERM'].includes(systemErrorName(event));
}
