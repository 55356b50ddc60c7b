/** The CPU samples of a trace, by activity and by function: of all activities, or of those that are selected. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { ActivityTreeOptions } from '../activity-tree.ts';
import { ChargedSamples } from './charged-samples.ts';
import { CpuActivities, type CpuTime } from './cpu-activities.ts';
import { CpuProfile } from './cpu-profile.ts';
import type { FrameNames } from './frame-names.ts';

export class CpuAccount {
  readonly profile: CpuProfile;
  readonly activities: CpuActivities;
  readonly #isAll: boolean;
  readonly #charged: ChargedSamples;

  constructor(names: FrameNames, isRoot: ActivityTreeOptions['isRoot']) {
    this.#isAll = isRoot === undefined;
    this.profile = new CpuProfile(names);
    this.activities = new CpuActivities(isRoot);
    this.#charged = new ChargedSamples(this.activities.activities, names, (sample) => {
      const isSelected = sample.isBusy && this.activities.addSample(sample);
      if (isSelected || this.#isAll) this.profile.count(sample.subject, sample.onCpu);
    });
  }

  /** The number of events that say which activity a thread runs: without any, no sample is charged to one. */
  get switches(): number {
    return this.#charged.switches;
  }

  /** Takes any event in time order. */
  add(event: TraceEvent): void {
    this.activities.add(event);
    const stack = this.profile.take(event);
    if (stack === undefined) this.#charged.addEvent(event);
    else if (!this.#charged.addSample(event, stack) && this.#isAll) this.profile.count(stack);
  }

  /** Call this after the last event. */
  end(): void {
    this.#charged.end();
  }

  /** Nanoseconds on a processor. Call this after the last event. */
  nsOf({ ns, intervals }: CpuTime): number {
    return Math.round(ns + intervals * this.#charged.intervalNs);
  }
}
