/** The activities of a report, one column per property, encoded after all have been read. */

import { ByteWriter } from '../../base/byte-writer.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ACTIVITY_STATES } from './report-header.ts';
import type { ReportNames } from './report-names.ts';

/** An activity, and the indices of its start and stop events if the report contains them. */
export interface ReportedActivity {
  readonly activity: TracedActivity;
  readonly startEvent: number | undefined;
  stopEvent: number | undefined;
}

export class ActivityColumns {
  readonly start: ByteWriter = new ByteWriter();
  readonly duration: ByteWriter = new ByteWriter();
  readonly covered: ByteWriter = new ByteWriter();
  readonly state: ByteWriter = new ByteWriter();
  readonly task: ByteWriter = new ByteWriter();
  readonly id: ByteWriter = new ByteWriter();
  readonly parent: ByteWriter = new ByteWriter();
  readonly thread: ByteWriter = new ByteWriter();
  readonly startEvent: ByteWriter = new ByteWriter();
  readonly stopEvent: ByteWriter = new ByteWriter();

  /** @param activities in order of `startNs`, none before the parameter `startNs` */
  constructor(activities: readonly ReportedActivity[], startNs: number, names: ReportNames) {
    const indices = new Map(activities.map(({ activity }, index) => [activity, index]));
    let lastNs = startNs;
    for (const { activity, startEvent, stopEvent } of activities) {
      const { processId, parent } = activity;
      this.start.varUint(activity.startNs - lastNs);
      lastNs = activity.startNs;
      this.duration.optionalVarUint(activity.durationNs);
      this.covered.varUint(activity.coveredNs);
      this.state.varUint(ACTIVITY_STATES.indexOf(activity.state));
      this.task.varUint(names.task(activity.provider, activity.task));
      this.id.optionalVarUint(names.activityId(activity.id, processId));
      this.parent.optionalVarUint(parent === undefined ? undefined : indices.get(parent));
      this.thread.varUint(names.thread(processId, activity.startThreadId ?? activity.stopThreadId));
      this.startEvent.optionalVarUint(startEvent);
      this.stopEvent.optionalVarUint(stopEvent);
    }
  }
}
