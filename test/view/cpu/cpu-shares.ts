/** The CPU time of the program child/cpu-programs/shares.mjs, whose three activities have known shares of it. */
import type { TraceEvent } from '../../../lib/trace/index.ts';
import { ActivityCharges } from '../../../lib/view/cpu/activity-charges.ts';
import { ChargedSamples } from '../../../lib/view/cpu/charged-samples.ts';
import { CpuActivities } from '../../../lib/view/cpu/cpu-activities.ts';
import { CpuProfile, isCpuSample } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import { TraceActivities } from '../../../lib/view/trace-activities.ts';
import type { TracedActivity } from '../../../lib/view/traced-activity.ts';

/** In percent. */
const SHARES = { Large: 60, Medium: 30, Small: 10 };
const TOLERANCE = 3;

/** The samples of a trace that were taken in slices of an activity, and those among them that are charged to it. */
export function slicedSamples(events: Iterable<TraceEvent>) {
  const count = { sliced: 0, charged: 0 };
  const tracker = new TraceActivities();
  let slice: unknown;
  const charges = new ActivityCharges<TracedActivity | undefined, unknown>(
    (event) => tracker.activityOf(event),
    (of, run) => {
      count.sliced++;
      if (run?.activity?.task === of) count.charged++;
    },
  );
  for (const event of events) {
    tracker.add(event);
    charges.addSwitch(event);
    if (event.name === 'Slice') slice = event.payload.of;
    else if (slice && isCpuSample(event) && event.threadId === event.processId)
      charges.addSample(event, slice);
  }
  charges.end();
  return count;
}

/** Adds up what several runs took. */
export class CpuShares {
  readonly #times = new Map<string, number>();
  /** The last trace's share of samples that are charged to activities. */
  charged = 0;

  async add(events: AsyncIterable<TraceEvent> | Iterable<TraceEvent>): Promise<void> {
    const names = new FrameNames();
    const profile = new CpuProfile(names);
    const activities = new CpuActivities(undefined);
    const samples = new ChargedSamples(
      activities.activities,
      names,
      (sample) => void (sample.isBusy && activities.addSample(sample)),
    );
    for await (const event of events) {
      activities.add(event);
      const stack = profile.take(event);
      if (stack === undefined) samples.addEvent(event);
      else samples.addSample(event, stack);
    }
    samples.end();
    for (const { name, total } of activities.names().values()) {
      const ns = total.ns + total.intervals * samples.intervalNs;
      // On Linux, the provider is Shares_Service.
      const task = name.replace(/^Shares.Service\//, '');
      this.#times.set(task, (this.#times.get(task) ?? 0) + ns);
    }
    this.charged = activities.charged.samples / activities.all.samples;
  }

  /** In percent of what is charged to activities. */
  get #shares(): { name: string; share: number; wanted: number }[] {
    const each = Object.entries(SHARES).map(([name, wanted]) => {
      return { name, wanted, ns: this.#times.get(name) ?? 0 };
    });
    const sum = each.reduce((total, { ns }) => total + ns, 0);
    return each.map(({ name, wanted, ns }) => ({ name, wanted, share: (ns / sum) * 100 }));
  }

  /** The shares that are off by 3 points or more. */
  get wrong(): readonly object[] {
    return this.#shares.filter(({ share, wanted }) => !(Math.abs(share - wanted) < TOLERANCE));
  }
}
