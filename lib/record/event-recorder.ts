/** What a recording uses: perf events or, if they are refused, tracefs. */

import { readdirSync, readFileSync } from 'node:fs';
import { type ClockPair, Recorder, type RecorderCounts } from '../platform/recorder.ts';
import { PerfEventsError } from '../platform/recorder-error.ts';
import type { RecordedEvent } from '../wire/perf-data/write/features.ts';
import { commRecord } from '../wire/perf-data/write/records.ts';
import type { Tracefs } from './tracefs.ts';
import { TracefsInstance } from './tracefs-instance.ts';
import { TracefsRecorder } from './tracefs-recorder.ts';

/** See the members of `Recorder`. */
export interface EventRecorder {
  readonly sideBand: RecordedEvent;
  clocks(): ClockPair;
  start(file: number): void;
  add(name: string, tracepointId: number, announce?: (event: RecordedEvent) => void): RecordedEvent;
  append(records: Uint8Array): number;
  stop(): void;
  counts(): RecorderCounts;
}

export interface OpenedRecorder {
  readonly recorder: EventRecorder;
  /** Needed per tracepoint. */
  readonly descriptors: number;
  /** The thread names that the recorder does not provide itself. */
  readonly names: Iterable<Uint8Array>;
  /** What is unusual about it, as a sentence. */
  readonly notice?: string;
  /** The problems so far, in sentences. */
  readonly problems: readonly string[];
}

/**
 * @param ringSize per processor, in bytes: a power of two pages
 * @throws RecorderError
 */
export function openRecorder(tracefs: Tracefs, cpus: readonly number[], ringSize: number): OpenedRecorder {
  try {
    const recorder = new Recorder(cpus, ringSize);
    return { recorder, descriptors: cpus.length, names: threadNames(), problems: [] };
  } catch (error) {
    if (!(error instanceof PerfEventsError)) throw error;
    const instance = TracefsInstance.open(tracefs, cpus, ringSize);
    // Users without access to tracefs should also learn how to get perf events.
    if (instance === undefined) throw error;
    const recorder = new TracefsRecorder(tracefs, instance, cpus);
    const notice = `Recording through ${instance.path}, because perf events are refused here (${error.code}).`;
    // Process ids are the kernel's own, which may differ from those in our /proc.
    return { recorder, descriptors: 0, names: [], notice, problems: recorder.problems };
  }
}

/** The names of all running threads, as records: the kernel reports only later ones. */
function* threadNames(): Generator<Uint8Array> {
  for (const pid of numbersIn('/proc')) {
    for (const tid of numbersIn(`/proc/${pid}/task`)) {
      const name = commOf(pid, tid);
      if (name !== undefined) yield commRecord(pid, tid, name);
    }
  }
}

/** None if the folder has gone with its process. */
function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function commOf(pid: number, tid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
