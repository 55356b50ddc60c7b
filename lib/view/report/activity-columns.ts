/** The activities of a report, a column for each of their properties, written when all have been read. */
import type { TracedActivity } from '../traced-activity.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { ACTIVITY_STATES } from './report-header.ts';
import type { ReportNames } from './report-names.ts';

/** An activity, and the numbers of the events at its ends, as far as they are in the report. */
export interface ReportedActivity {
  readonly activity: TracedActivity;
  readonly startEvent: number | undefined;
  stopEvent: number | undefined;
}

export class ActivityColumns {
  readonly start: GrowingBytes = new GrowingBytes();
  readonly duration: GrowingBytes = new GrowingBytes();
  readonly covered: GrowingBytes = new GrowingBytes();
  readonly state: GrowingBytes = new GrowingBytes();
  readonly task: GrowingBytes = new GrowingBytes();
  readonly id: GrowingBytes = new GrowingBytes();
  readonly parent: GrowingBytes = new GrowingBytes();
  readonly thread: GrowingBytes = new GrowingBytes();
  readonly startEvent: GrowingBytes = new GrowingBytes();
  readonly stopEvent: GrowingBytes = new GrowingBytes();

  /** @param activities in the order of `startNs`, the first not before `startNs` */
  constructor(activities: readonly ReportedActivity[], startNs: number, names: ReportNames) {
    const indices = new Map(activities.map(({ activity }, index) => [activity, index]));
    let lastNs = startNs;
    for (const { activity, startEvent, stopEvent } of activities) {
      const { processId, parent } = activity;
      this.start.number(activity.startNs - lastNs);
      lastNs = activity.startNs;
      this.duration.optional(activity.durationNs);
      this.covered.number(activity.coveredNs);
      this.state.number(ACTIVITY_STATES.indexOf(activity.state));
      this.task.number(names.task(activity.provider, activity.task));
      this.id.optional(names.activityId(activity.id, processId));
      this.parent.optional(parent === undefined ? undefined : indices.get(parent));
      this.thread.number(names.thread(processId, activity.startThreadId ?? activity.stopThreadId));
      this.startEvent.optional(startEvent);
      this.stopEvent.optional(stopEvent);
    }
  }
}
