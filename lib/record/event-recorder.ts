/** What a recording uses: perf events or, if they are refused, tracefs. */

import { readFileSync } from 'node:fs';
import type { ClockPair, RecorderCounts } from '../platform/addon-functions.ts';
import { Recorder, type RecorderOptions } from '../platform/recorder.ts';
import { PerfEventsError, RecorderError } from '../platform/recorder-error.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { commRecord, forkRecord } from '../wire/perf-data/write/records.ts';
import { numbersIn } from './code-mappings.ts';
import { type CpuOptions, CpuSampling } from './cpu-sampling.ts';
import { missingTracer, NO_TRACEFS, Tracefs, type TracefsFiles } from './tracefs.ts';
import { TracefsInstance } from './tracefs-instance.ts';
import { TracefsRecorder } from './tracefs-recorder.ts';

/** See the members of `Recorder`. */
export interface EventRecorder {
  readonly sideBand: RecordedEvent;
  clocks(): ClockPair;
  /** @param file none if the rings are overwritten */
  start(file?: number): void;
  dump(file: number): RecorderCounts;
  add(name: string, tracepointId: number, announce?: (event: RecordedEvent) => void): RecordedEvent;
  append(records: Uint8Array): number;
  stop(): void;
  counts(): RecorderCounts;
}

export interface OpenedRecorder {
  readonly recorder: EventRecorder;
  readonly tracefs: TracefsFiles;
  /** The sampling, if it samples the CPU. */
  readonly cpu?: CpuSampling;
  /** How many descriptors each tracepoint needs. */
  readonly descriptors: number;
  /** The thread names that the recorder does not provide itself. */
  readonly names: () => Iterable<Uint8Array>;
  /** What is unusual about it, in sentences. */
  readonly notices: readonly string[];
  /** The problems so far, in sentences. */
  readonly problems: readonly string[];
}

/**
 * @throws RecorderError
 */
export function openRecorder(rings: RecorderOptions): OpenedRecorder {
  const { cpus, ringSize, isOverwritten } = rings;
  const tracefs = new Tracefs();
  try {
    const recorder = new Recorder(rings);
    return { recorder, tracefs, descriptors: cpus.length, names: threadNames, notices: [], problems: [] };
  } catch (error) {
    if (!(error instanceof PerfEventsError)) throw error;
    const instance = TracefsInstance.open(tracefs, cpus, ringSize);
    // Users without access to tracefs should also learn how to get perf events.
    if (instance === undefined) throw error;
    const recorder = new TracefsRecorder(tracefs, instance, cpus, isOverwritten);
    const notice = `Recording through ${instance.path}, because perf events are refused here (${error.code}).`;
    // Process ids are the kernel's own, which may differ from those in our /proc.
    return {
      recorder,
      tracefs,
      descriptors: 0,
      names: () => [],
      notices: [notice],
      problems: recorder.problems,
    };
  }
}

/**
 * Opens a recorder that also samples the CPU, which needs perf events, and records what events it can.
 *
 * @param needsEvents whether it must not do without them
 * @throws RecorderError
 */
export function openCpuRecorder(
  options: CpuOptions,
  rings: RecorderOptions,
  needsEvents: boolean,
): OpenedRecorder {
  const cpu = new CpuSampling(options, rings);
  const { recorder, notices, problems } = cpu;
  const reason = cpu.refusal ?? (needsEvents ? undefined : missingTracer());
  const tracefs = reason === undefined ? tracefsOr(needsEvents) : reason;
  const descriptors = rings.cpus.length;
  const names = threadNames;
  if (typeof tracefs !== 'string') return { recorder, tracefs, cpu, descriptors, names, notices, problems };
  notices.push(`Only the CPU is sampled, and no events are recorded. ${tracefs}`);
  return { recorder, tracefs: NO_TRACEFS, cpu, descriptors, names, notices, problems };
}

/** @returns why there is none, unless it is needed @throws RecorderError */
function tracefsOr(isNeeded: boolean): TracefsFiles | string {
  try {
    return new Tracefs();
  } catch (error) {
    if (error instanceof RecorderError && !isNeeded) return error.message;
    throw error;
  }
}

/** On Linux, this process starts the kernel's threads. */
const KERNEL_STARTER = 2;

/** The names of all running threads, and who the kernel's are, as records: the kernel reports only later ones. */
function* threadNames(): Generator<Uint8Array> {
  for (const pid of numbersIn('/proc')) {
    if (parentOf(pid) === KERNEL_STARTER) yield forkRecord(pid, KERNEL_STARTER);
    for (const tid of numbersIn(`/proc/${pid}/task`)) {
      const name = commOf(pid, tid);
      if (name !== undefined) yield commRecord(pid, tid, name);
    }
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const parent = /\) \S (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

function commOf(pid: number, tid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
