/**
 * A flight recorder of the system: the kernel keeps the latest user_events and CPU samples in rings, which are dumped
 * into perf.data files on request. Source: perf_event_open(2) (write_backward), `perf record --overwrite`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { dumpName } from '../base/output-file.ts';
import { systemErrorName } from '../base/system-code.ts';
import type { RecorderCounts } from '../platform/addon-functions.ts';
import { RecorderError } from '../platform/recorder-error.ts';
import { lostRecord } from '../wire/perf-data/write/records.ts';
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

/** A dump whose records are in its file. */
interface BegunDump {
  readonly file: RecordingFile;
  readonly counts: RecorderCounts;
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
    return this.#complete(this.#begin(), 0);
  }

  /**
   * Ends the recording.
   *
   * @param dumps whether the rings are written once more, into a file that also says what the recorder has lost: the
   * kernel reports a loss with the next record of the ring, which may never come, or be overwritten
   * @throws RecorderError
   */
  async stop(dumps: boolean): Promise<RecordingResult & { readonly dump: Dump | undefined }> {
    const { recorder } = this.#setup;
    const begun = dumps ? this.#begin() : undefined;
    this.#watch.stop();
    recorder.stop();
    while (!recorder.counts().done) await sleep(END_POLL_MS);
    const untold = recorder.counts().lost - (begun?.counts.lostInFile ?? 0);
    const dump = begun && this.#complete(begun, untold);
    return { ...this.#setup.result(this.#setup.problems), dump };
  }

  /** Writes what the rings contain. */
  #begin(): BegunDump {
    const { owner, file: name } = this.#options;
    const { recorder, cpu } = this.#setup;
    const file = new RecordingFile(dumpName(name), owner);
    try {
      file.begin(this.#setup.facts);
      for (const batch of batches(this.#setup.names())) file.append(batch);
      for (const batch of batches(cpu?.earlierCode() ?? [])) file.append(batch);
      const counts = recorder.dump(file.descriptor);
      if (counts.error !== 0) throw new RecorderError(failure(file.path, counts.error));
      file.take();
      return { file, counts };
    } catch (error) {
      file.abandon();
      throw error;
    }
  }

  /** @param untold losses that no record in the file reports */
  #complete({ file, counts }: BegunDump, untold: number): Dump {
    const [id = 0n] = this.#setup.recorder.sideBand.ids;
    const last = untold > 0 ? lostRecord(id, untold, counts.lastTime) : new Uint8Array(0);
    if (!file.end(this.#setup.endFacts(counts), last)) {
      throw new RecorderError(failure(file.path, 'ENOSPC'));
    }
    const { events, cpuSamples, bytes } = counts;
    return { file: file.path, events, cpuSamples, bytes };
  }
}

function failure(path: string, error: number | string): string {
  const name = typeof error === 'number' ? systemErrorName(error) : error;
  return `Writing ${path} failed (${name}).`;
}
