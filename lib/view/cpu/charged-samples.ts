/** CPU samples with the activities that they are charged to, and the time that each stands for. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { Quantiles } from '../quantiles.ts';
import type { TraceActivities } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ActivityCharges, type ActivityRun, threadKey } from './activity-charges.ts';
import { CountedFirst, type SampledStack } from './cpu-profile.ts';
import type { FrameNames } from './frame-names.ts';
import { hasTimes, ProcessorTime, type TimedSample } from './processor-time.ts';

/** @typeParam Subject what the caller knows of the sample: its stack, or its row */
export interface ChargedSample<Subject = SampledStack> {
  readonly subject: Subject;
  readonly threadId: number | undefined;
  /** Nanoseconds since the start of the trace. */
  readonly timeNs: number;
  /** The time on the thread that it stands for; undefined if that is the trace's `intervalNs`. */
  readonly ns: number | undefined;
  /** How much of it the thread was on a processor, from 0 to 1: all of it, unless the trace says otherwise. */
  readonly onCpu: number;
  /** Whether something ran, as far as the profiler knows. */
  readonly isBusy: boolean;
  /** The run is undefined if the thread has no activity switches. */
  readonly run: ActivityRun<TracedActivity | undefined> | undefined;
}

interface WaitingSample<Subject> extends ChargedSample<Subject>, TimedSample {
  ns: number | undefined;
  onCpu: number;
  run: ChargedSample<Subject>['run'];
  readonly lastsUntilNext: boolean;
  /** How many of run, duration and time on a processor are still unknown. */
  unknown: number;
}

interface SampledThread<Subject> {
  /** The last sample. */
  last: WaitingSample<Subject> | undefined;
  readonly time: ProcessorTime<WaitingSample<Subject>>;
}

/** Why no sample of a trace is charged to an activity. */
export const NO_SWITCHES = 'it has no activity switches, which "tracewright collect --cpu" records';

/** Samples of V8 and .NET stand for the time until the next, which may say that the thread waits. */
const UNTIL_NEXT = 'Microsoft-DotNETCore-SampleProfiler';
/** After more than so many intervals, the thread had no processor meanwhile, or the profiler had none. */
const MAX_INTERVALS = 2;
const FIRST_INTERVAL_NS = 1e6;
/** The interval is updated after this many samples. */
const INTERVAL_UPDATE = 1000;
/** Type of such a sample, while the thread ran no managed code. */
const EXTERNAL = 1;
/** What perf counts in nanoseconds. */
const CLOCK = /^(?:cpu|task)-clock/;
/** ETW's unit, and its default interval. */
const INTERVAL_UNIT_NS = 100;
const ETW_INTERVAL_NS = 1e6;

/**
 * How long the thread was on a processor for the sample.
 *
 * @param usual what a sample stands for that has no time of its own
 */
export function processorTime({ ns, onCpu }: Pick<ChargedSample, 'ns' | 'onCpu'>, usual: number): number {
  return (ns ?? usual) * onCpu;
}

export class ChargedSamples<Subject = SampledStack> {
  readonly #take: (sample: ChargedSample<Subject>) => void;
  readonly #charges: ActivityCharges<TracedActivity | undefined, WaitingSample<Subject>>;
  readonly #names: FrameNames;
  readonly #threads = new Map<string, SampledThread<Subject>>();
  readonly #intervals = new Quantiles();
  readonly #counted = new CountedFirst();
  #intervalSoFar = FIRST_INTERVAL_NS;
  #etwIntervalNs = ETW_INTERVAL_NS;

  /**
   * @param activities has had all events so far
   * @param names likewise
   * @param take receives the samples in order within a thread
   */
  constructor(
    activities: Pick<TraceActivities, 'activityOf'>,
    names: FrameNames,
    take: (sample: ChargedSample<Subject>) => void,
  ) {
    this.#take = take;
    this.#names = names;
    this.#charges = new ActivityCharges(
      (event) => activities.activityOf(event),
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
    if (hasTimes(event))
      for (const sample of this.#threadOf(event).time.take(event)) this.#settleTime(sample);
    if (this.#charges.addSwitch(event) || event.name !== 'PerfInfo/CollectionStart') return;
    const { SampleSource, NewInterval } = event.payload;
    if (SampleSource === 0 && Number(NewInterval) > 0) {
      this.#etwIntervalNs = Number(NewInterval) * INTERVAL_UNIT_NS;
    }
  }

  /** @returns whether the sample is charged: not if it counts something else than those before it */
  addSample(event: TraceEvent, subject: Subject): boolean {
    if (!this.#counted.has(event)) return false;
    const lastsUntilNext = event.provider === UNTIL_NEXT;
    const thread = this.#threadOf(event);
    const timeNs = event.nsSinceStart;
    const ns = this.#durationOf(event);
    const isTimed = lastsUntilNext && thread.time.isKnown;
    const sample: WaitingSample<Subject> = {
      subject,
      threadId: event.threadId,
      timeNs,
      endNs: undefined,
      ns,
      cpuNs: 0,
      onCpu: 1,
      isBusy: !lastsUntilNext || event.payload.Type !== EXTERNAL || this.#names.isNative(event),
      run: undefined,
      lastsUntilNext,
      unknown: 1 + Number(lastsUntilNext) + Number(isTimed),
    };
    const { last } = thread;
    thread.last = sample;
    if (last !== undefined) this.#endAt(timeNs, last, isTimed);
    if (isTimed) for (const left of thread.time.add(sample)) this.#settleTime(left);
    this.#charges.addSample(event, sample);
    return true;
  }

  /** Call this after the last event. */
  end(): void {
    this.#charges.end();
    for (const { time } of this.#threads.values()) {
      for (const sample of time.end()) this.#settleTime(sample);
    }
    for (const { last } of this.#threads.values())
      if (last !== undefined && last.unknown > 0) this.#take(last);
    this.#threads.clear();
  }

  #threadOf(event: TraceEvent): SampledThread<Subject> {
    const key = threadKey(event);
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      thread = { last: undefined, time: new ProcessorTime() };
      this.#threads.set(key, thread);
    }
    return thread;
  }

  #endAt(timeNs: number, last: WaitingSample<Subject>, isTimed: boolean): void {
    const ns = timeNs - last.timeNs;
    if (last.isBusy) this.#intervals.add(Math.max(0, ns));
    if (this.#intervals.count % INTERVAL_UPDATE === 100) this.#intervalSoFar = this.intervalNs;
    if (!last.lastsUntilNext) return;
    last.endNs = timeNs;
    // Without the thread's times, it may have had no processor in a longer one.
    if (isTimed || ns <= MAX_INTERVALS * this.#intervalSoFar) last.ns = ns;
    this.#settle(last);
  }

  #settleTime(sample: WaitingSample<Subject>): void {
    if (sample.ns !== undefined && sample.ns > 0) sample.onCpu = Math.min(1, sample.cpuNs / sample.ns);
    this.#settle(sample);
  }

  #durationOf({ provider, name, payload }: TraceEvent): number | undefined {
    if (provider === 'perf' && CLOCK.test(name) && payload.period !== undefined)
      return Number(payload.period);
    return provider === 'Windows Kernel' ? this.#etwIntervalNs : undefined;
  }

  #settle(sample: WaitingSample<Subject>): void {
    if (--sample.unknown === 0) this.#take(sample);
  }
}
