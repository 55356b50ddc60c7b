/** The activities of a report: one column per property. */

import type { TracedActivity } from '../traced-activity.ts';
import { ReportColumn } from './report-column.ts';
import { ACTIVITY_STATES, FAILED } from './report-header.ts';
import type { ReportNames } from './report-names.ts';

export class ActivityColumns {
  readonly start: ReportColumn = new ReportColumn();
  readonly task: ReportColumn = new ReportColumn();
  readonly id: ReportColumn = new ReportColumn();
  readonly parent: ReportColumn = new ReportColumn();
  readonly thread: ReportColumn = new ReportColumn();
  readonly startEvent: ReportColumn = new ReportColumn();
  count = 0;
  readonly #names: ReportNames;
  /** The activities' indices in the report, by their indices in the trace. */
  readonly #numbers: number[] = [];
  #lastNs: number | undefined;
  /** Values that are only known at the end of an activity, by its index; -1 stands for undefined. */
  readonly #durations: number[] = [];
  readonly #covered: number[] = [];
  readonly #states: number[] = [];
  readonly #stopEvents: number[] = [];
  readonly #labels: number[] = [];

  constructor(names: ReportNames) {
    this.#names = names;
  }

  /**
   * Adds an activity when it is first seen, in that order.
   *
   * @param startNs when the first one's time begins
   * @param startEvent its index in the report
   */
  add(activity: TracedActivity, startNs: number, startEvent: number | undefined): void {
    const { index, processId, parent, provider, task, startThreadId, stopThreadId } = activity;
    if (index >= 0) this.#numbers[index] = this.count;
    this.start.varUint(activity.startNs - (this.#lastNs ?? startNs));
    this.#lastNs = activity.startNs;
    this.task.varUint(this.#names.task(provider, task));
    this.id.optionalVarUint(this.#names.activityId(activity));
    this.parent.optionalVarUint(parent && this.numberOf(parent));
    this.thread.varUint(this.#names.thread(processId, startThreadId ?? stopThreadId));
    this.startEvent.optionalVarUint(startEvent);
    this.#durations.push(-1);
    this.#covered.push(0);
    this.#states.push(0);
    this.#stopEvents.push(-1);
    this.#labels.push(-1);
    this.update(activity, this.count++);
  }

  /** The index of a started activity in the report. */
  numberOf({ index }: TracedActivity): number | undefined {
    return this.#numbers[index];
  }

  /** Takes the current state of an activity. */
  update(activity: TracedActivity, number: number | undefined = this.numberOf(activity)): void {
    if (number === undefined) return;
    this.#durations[number] = activity.durationNs ?? -1;
    this.#covered[number] = activity.coveredNs;
    this.#states[number] = ACTIVITY_STATES.indexOf(activity.state) + (activity.isFailed ? FAILED : 0);
  }

  /** @param number the index of an activity in the report */
  stop(number: number, stopEvent: number | undefined): void {
    this.#stopEvents[number] = stopEvent ?? -1;
  }

  /** @param label what activities of its kind are called */
  explain(activity: TracedActivity, label: string): void {
    const number = this.numberOf(activity);
    if (number !== undefined) this.#labels[number] = this.#names.label(label) ?? -1;
  }

  get duration(): ReportColumn {
    return columnOf(this.#durations, 1);
  }

  get covered(): ReportColumn {
    return columnOf(this.#covered, 0);
  }

  get state(): ReportColumn {
    return columnOf(this.#states, 0);
  }

  get stopEvent(): ReportColumn {
    return columnOf(this.#stopEvents, 1);
  }

  get label(): ReportColumn {
    return columnOf(this.#labels, 1);
  }
}

/** @param offset 1 for optional numbers */
function columnOf(numbers: readonly number[], offset: number): ReportColumn {
  const column = new ReportColumn();
  for (const number of numbers) column.varUint(number + offset);
  return column;
}
