/** CPU samples with the activities that they are charged to, and the CPU time that each stands for. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { Quantiles } from '../quantiles.ts';
import type { TraceActivities } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ActivityCharges, type ActivityRun } from './activity-charges.ts';
import type { SampledStack } from './cpu-profile.ts';

export interface ChargedSample {
  readonly stack: SampledStack;
  /** Nanoseconds since the start of the trace. */
  readonly timeNs: number;
  /** The CPU time that it stands for; undefined if that is the trace's `intervalNs`. */
  readonly ns: number | undefined;
  /** Whether the thread used the CPU as far as the profiler knows: not waiting, for example. */
  readonly isBusy: boolean;
  /** Undefined if the thread has no activity switches. */
  readonly run: ActivityRun<TracedActivity | undefined> | undefined;
}

interface WaitingSample extends ChargedSample {
  ns: number | undefined;
  run: ChargedSample['run'];
  readonly lastsUntilNext: boolean;
  /** How many of run and duration are still unknown. */
  unknown: number;
}

/** Samples of V8 and .NET stand for the time until the next, which may say that the thread waits. */
const UNTIL_NEXT = 'Microsoft-DotNETCore-SampleProfiler';
/** After more than so many intervals, the thread had no processor meanwhile, or the profiler had none. */
const MAX_INTERVALS = 2;
const FIRST_INTERVAL_NS = 1e6;
/** In samples. */
const INTERVAL_UPDATE = 1000;
/** Type of such a sample, while the thread ran no managed code. */
const EXTERNAL = 1;
/** What perf counts in nanoseconds. */
const CLOCK = /^(?:cpu|task)-clock/;
/** ETW's unit, and its default interval. */
const INTERVAL_UNIT_NS = 100;
const ETW_INTERVAL_NS = 1e6;

export class ChargedSamples {
  readonly #take: (sample: ChargedSample) => void;
  readonly #charges: ActivityCharges<TracedActivity | undefined, WaitingSample>;
  /** The last sample of each thread. */
  readonly #last = new Map<string, WaitingSample>();
  readonly #intervals = new Quantiles();
  #intervalSoFar = FIRST_INTERVAL_NS;
  #etwIntervalNs = ETW_INTERVAL_NS;

  /**
   * @param tracker has had all events so far
   * @param take receives the samples in order within a thread
   */
  constructor(tracker: TraceActivities, take: (sample: ChargedSample) => void) {
    this.#take = take;
    this.#charges = new ActivityCharges(
      (event) => tracker.activityOf(event),
      (sample, run) => {
        sample.run = run;
        this.#settle(sample);
      },
    );
  }

  /** The number of activity switches. */
  get switches(): number {
    return this.#charges.switches;
  }

  /** The usual time between two samples of a thread. */
  get intervalNs(): number {
    return this.#intervals.at(0.5) ?? 0;
  }

  /** Takes an event that is not a sample. */
  addEvent(event: TraceEvent): void {
    if (this.#charges.addSwitch(event) || event.name !== 'PerfInfo/CollectionStart') return;
    const { SampleSource, NewInterval } = event.payload;
    if (SampleSource === 0 && Number(NewInterval) > 0) {
      this.#etwIntervalNs = Number(NewInterval) * INTERVAL_UNIT_NS;
    }
  }

  addSample(event: TraceEvent, stack: SampledStack): void {
    const { provider, processId, threadId, payload } = event;
    const lastsUntilNext = provider === UNTIL_NEXT;
    const sample: WaitingSample = {
      stack,
      timeNs: Number(event.timeSinceStart),
      ns: this.#durationOf(event),
      isBusy: !lastsUntilNext || payload.Type !== EXTERNAL,
      run: undefined,
      lastsUntilNext,
      unknown: lastsUntilNext ? 2 : 1,
    };
    const thread = `${processId} ${threadId}`;
    const last = this.#last.get(thread);
    this.#last.set(thread, sample);
    if (last !== undefined) this.#endAt(sample.timeNs, last);
    this.#charges.addSample(event, sample);
  }

  /** Call this after the last event. */
  end(): void {
    this.#charges.end();
    for (const last of this.#last.values()) if (last.unknown > 0) this.#settle(last);
    this.#last.clear();
  }

  #endAt(timeNs: number, last: WaitingSample): void {
    const ns = timeNs - last.timeNs;
    if (last.isBusy) this.#intervals.add(Math.max(0, ns));
    if (this.#intervals.count % INTERVAL_UPDATE === 100) this.#intervalSoFar = this.intervalNs;
    if (!last.lastsUntilNext) return;
    if (ns <= MAX_INTERVALS * this.#intervalSoFar) last.ns = ns;
    this.#settle(last);
  }

  #durationOf({ provider, name, payload }: TraceEvent): number | undefined {
    if (provider === 'perf' && CLOCK.test(name) && payload.period !== undefined)
      return Number(payload.period);
    return provider === 'Windows Kernel' ? this.#etwIntervalNs : undefined;
  }

  #settle(sample: WaitingSample): void {
    if (--sample.unknown === 0) this.#take(sample);
  }
}
