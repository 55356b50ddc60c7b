/**
 * A flight recorder of the system: the kernel keeps the latest user_events and CPU samples in rings, which are dumped
 * into perf.data files on request. Source: perf_event_open(2) (write_backward), `perf record --overwrite`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { dumpName } from '../base/output-file.ts';
import type { RecorderCounts } from '../platform/recorder.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { systemErrorName } from '../platform/recorder-reasons.ts';
import { batches } from './code-mappings.ts';
import { RecordingFile } from './recording-file.ts';
import { type RecordingOptions, type RecordingResult, RecordingSetup } from './recording-setup.ts';
import { TracepointWatch } from './tracepoint-watch.ts';

/** How often to check whether the recorder has ended. */
const END_POLL_MS = 5;

export interface Dump {
  readonly file: string;
  readonly events: number;
  readonly cpuSamples: number;
  readonly bytes: number;
}

export class RingRecording {
  readonly #options: RecordingOptions;
  readonly #setup: RecordingSetup;
  readonly #watch: TracepointWatch;

  /**
   * When this returns, everything selected that exists is being recorded.
   *
   * @param options with the name of dumps, to which each adds its time
   * @throws RecorderError
   */
  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#setup = new RecordingSetup(options, true);
    const { recorder, cpu, tracepoints, tracefs } = this.#setup;
    recorder.start();
    try {
      cpu?.begin();
      this.#watch = new TracepointWatch(tracepoints, tracefs, options.programsOf);
    } catch (error) {
      recorder.stop();
      throw error;
    }
  }

  /** Our programs announce their new tracepoints here: the value of `RECORDER_VARIABLE`. */
  get address(): string {
    return this.#watch.address;
  }

  /** What is unusual about it, in sentences. */
  get notices(): readonly string[] {
    return this.#setup.notices;
  }

  /**
   * Writes what the rings contain into a new file.
   *
   * @throws RecorderError
   */
  dump(): Dump {
    const { owner, file: name } = this.#options;
    const { recorder, cpu } = this.#setup;
    const file = new RecordingFile(dumpName(name), owner);
    let counts: RecorderCounts;
    try {
      file.begin(this.#setup.facts);
      for (const batch of batches(this.#setup.names())) file.append(batch);
      for (const batch of batches(cpu?.earlierCode() ?? [])) file.append(batch);
      counts = recorder.dump(file.descriptor);
      if (counts.error !== 0) throw new RecorderError(failure(file.path, counts.error));
      file.take();
    } catch (error) {
      file.abandon();
      throw error;
    }
    if (!file.end(this.#setup.endFacts(counts), new Uint8Array(0))) {
      throw new RecorderError(failure(file.path, 'ENOSPC'));
    }
    const { events, cpuSamples, bytes } = counts;
    return { file: file.path, events, cpuSamples, bytes };
  }

  /** Ends the recording. */
  async stop(): Promise<RecordingResult> {
    const { recorder } = this.#setup;
    this.#watch.stop();
    recorder.stop();
    while (!recorder.counts().done) await sleep(END_POLL_MS);
    return this.#setup.result(this.#setup.problems);
  }
}

function failure(path: string, error: number | string): string {
  const name = typeof error === 'number' ? systemErrorName(error) : error;
  return `Writing ${path} failed (${name}).`;
}
