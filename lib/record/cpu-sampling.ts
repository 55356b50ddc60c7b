/**
 * The CPU samples of a recording: stacks of what runs on the processors, on the same rings and clock as its events.
 * Source: perf_event_open(2).
 */

import { readFileSync } from 'node:fs';
import { systemErrorName } from '../base/system-code.ts';
import { Recorder, type RecorderOptions } from '../platform/recorder.ts';
import { PerfEventsError, RecorderError } from '../platform/recorder-error.ts';
import { recorderAddReason } from '../platform/recorder-reasons.ts';
import { cpuSampleAttr, type EventScope } from '../wire/perf-data/write/attr.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { batches, kernelMappings, numbersIn, processMappings } from './code-mappings.ts';

/** perf's name. */
const EVENT_NAME = 'cpu-clock';
/** An unprivileged user may have rings of this size: see perf_event_mlock_kb. */
const UNPRIVILEGED_RING_SIZE = 512 << 10;
/** The ids of their events fit into a record. */
const MAX_EVENTS = 8000;
const MAX_RATE_FILE = '/proc/sys/kernel/perf_event_max_sample_rate';
/** Stands for the command: it inherits the events of the thread that starts it. */
const THIS_THREAD = 0;

export interface CpuOptions {
  /** Samples per second of each processor. */
  readonly frequency: number;
  /** Selects the processes to sample: all of them, a command that this process starts, or one by its id. */
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
  readonly #isOverwritten: boolean;
  #kernel: readonly Uint8Array[] = [];

  /**
   * Opens a recorder with a prepared event; nothing is recorded yet.
   *
   * @throws RecorderError
   */
  constructor({ frequency, of }: CpuOptions, rings: RecorderOptions) {
    const { cpus, isOverwritten = false } = rings;
    this.#of = of;
    this.#isOverwritten = isOverwritten;
    const threads = threadsOf(of, cpus.length);
    const scope: EventScope = of === 'system' ? of : of === 'command' ? 'programs' : 'threads';
    // Runtimes that compile change their mappings thousands of times per second: only those of the sampled threads
    // are recorded, unless samples may outlast them.
    const hasAllMappings = of === 'system' || isOverwritten;
    try {
      this.recorder = new Recorder({ ...rings, hasMappings: hasAllMappings });
    } catch (error) {
      if (!(error instanceof PerfEventsError) || threads.length === 0) throw error;
      this.recorder = recorderOf(threads, scope, { ...rings, hasMappings: hasAllMappings });
      this.refusal = error.message;
    }
    const rate = this.#allowedRate(frequency);
    const prepare = (excludesKernel: boolean) => {
      const attr = cpuSampleAttr(rate, { scope, excludesKernel }, !hasAllMappings, isOverwritten);
      return this.recorder.prepare(EVENT_NAME, attr, threads);
    };
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
   * Starts to sample, once readers have been told which code is where, unless `earlierCode` tells them later.
   *
   * @throws RecorderError
   */
  begin(): void {
    if (!this.#excludesKernel) {
      this.#kernel = [...kernelMappings()];
      if (this.#kernel.length === 0) {
        this.notices.push(
          'Functions of the kernel will have no names, because it hides their addresses. ' +
            'As root: sysctl kernel.kptr_restrict=0',
        );
      }
    }
    if (!this.#isOverwritten) this.#append(this.earlierCode());
    const error = this.recorder.enable();
    if (error !== 0) throw new RecorderError(recorderAddReason(error, 'The CPU'));
  }

  /** Records of the code that is in memory. */
  *earlierCode(): Generator<Uint8Array, void, undefined> {
    yield* this.#kernel;
    // A command maps its code while it is recorded.
    if (this.#of === 'command' && !this.#isOverwritten) return;
    const onMany = () => {
      const problem = 'The processes have mapped too many files: some functions will have no names.';
      if (!this.problems.includes(problem)) this.problems.push(problem);
    };
    yield* processMappings(typeof this.#of === 'number' ? [this.#of] : numbersIn('/proc'), onMany);
  }

  #append(records: Iterable<Uint8Array>): void {
    for (const batch of batches(records)) this.recorder.append(batch);
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

/** Makes a recorder for a user who may not record the whole system. @throws RecorderError */
function recorderOf(threads: readonly number[], scope: EventScope, rings: RecorderOptions): Recorder {
  const ringSize = Math.min(rings.ringSize, UNPRIVILEGED_RING_SIZE);
  const [thread = THIS_THREAD, ...others] = threads;
  const recorder = new Recorder({ ...rings, ringSize, scope: { scope, excludesKernel: true }, thread });
  recorder.extendSideBand(others);
  return recorder;
}

function isRefusal(event: RecordedEvent | number): boolean {
  return typeof event === 'number' && ['EACCES', 'EPERM'].includes(systemErrorName(event));
}
