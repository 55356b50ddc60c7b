/**
 * How much of its samples' time a thread was on a processor, by the readings of its times in the trace. V8 and .NET sample
 * a thread at an interval, whether it runs, waits in a system call, or has no processor.
 */
import { ACTIVITY_SWITCH } from '../../activity/switches.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';

/** What a thread did from its time on, until the end if that is known. */
export interface TimedSample {
  readonly timeNs: number;
  endNs: number | undefined;
  /** Otherwise its time is not the thread's. */
  readonly isBusy: boolean;
  /** The CPU time of the run, as far as readings reach. */
  cpuNs: number;
}

interface Reading {
  readonly timeNs: number;
  readonly cpuNs: number;
}

const NS_PER_MS = 1e6;
const IN_TRACEPOINTS = tracepointProviderName(ACTIVITY_SWITCH.provider);
/**
 * CPU time between two samples is found in the next ones: of runs shorter than the interval of the samples, many have
 * none, and others one for more than their time.
 */
const MAX_CARRIED_NS = 3e6;
/** To limit memory, where a thread's readings end. */
const MAX_PENDING = 100_000;

export class ProcessorTime<Sample extends TimedSample> {
  #last: Reading | undefined;
  #carriedNs = 0;
  #pending: Sample[] = [];

  get isKnown(): boolean {
    return this.#last !== undefined;
  }

  /**
   * Takes a busy or idle sample, in time order.
   *
   * @returns those for which no reading is waited for any longer
   */
  add(sample: Sample): readonly Sample[] {
    const left = this.#pending.length < MAX_PENDING ? [] : this.end();
    this.#pending.push(sample);
    return left;
  }

  /**
   * Takes an event with a reading: see `hasTimes`.
   *
   * @returns the samples whose whole time is known now, oldest first
   */
  take(event: TraceEvent): readonly Sample[] {
    const reading = readingOf(event);
    if (reading === undefined) return [];
    if (this.#last !== undefined) this.#share(this.#last, reading);
    this.#last = reading;
    const open = this.#pending.findIndex(({ endNs }) => endNs === undefined || endNs > reading.timeNs);
    const known = open < 0 ? this.#pending : this.#pending.slice(0, open);
    this.#pending = open < 0 ? [] : this.#pending.slice(open);
    return known;
  }

  /** The samples that no reading follows, which count as on a processor from the last one on. */
  end(): readonly Sample[] {
    const left = this.#pending;
    this.#pending = [];
    const lastNs = this.#last?.timeNs ?? 0;
    for (const sample of left) {
      sample.cpuNs += Math.max(0, (sample.endNs ?? 0) - Math.max(sample.timeNs, lastNs));
    }
    return left;
  }

  #share(last: Reading, { timeNs, cpuNs }: Reading): void {
    const pieceOf = (sample: Sample) =>
      sample.isBusy
        ? Math.max(0, Math.min(sample.endNs ?? timeNs, timeNs) - Math.max(sample.timeNs, last.timeNs))
        : 0;
    const usedNs = Math.max(0, cpuNs - last.cpuNs) + this.#carriedNs;
    const sampledNs = this.#pending.reduce((sum, sample) => sum + pieceOf(sample), 0);
    const share = sampledNs === 0 ? 0 : Math.min(1, usedNs / sampledNs);
    for (const sample of this.#pending) sample.cpuNs += pieceOf(sample) * share;
    this.#carriedNs = Math.min(MAX_CARRIED_NS, usedNs - sampledNs * share);
  }
}

/** Whether the event may have a reading of its thread's times. */
export function hasTimes({ provider, name }: TraceEvent): boolean {
  return (
    (name === ACTIVITY_SWITCH.name || name === 'ThreadTimes') &&
    (provider === ACTIVITY_SWITCH.provider || provider === IN_TRACEPOINTS)
  );
}

function readingOf({ payload, nsSinceStart }: TraceEvent): Reading | undefined {
  const { threadCpuMSec: cpu } = payload;
  if (typeof cpu !== 'number' || !(cpu >= 0)) return undefined;
  return { timeNs: nsSinceStart, cpuNs: cpu * NS_PER_MS };
}
