/** The activities of a report: one column per property. */

import { enlarged } from '../../base/enlarged.ts';
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
  readonly #numbers = new Numbers(Int32Array);
  #lastNs: number | undefined;
  /** Values that are only known at the end of an activity, by its index; -1 stands for undefined. */
  readonly #durations = new Numbers(Float64Array);
  readonly #covered = new Numbers(Float64Array);
  readonly #states = new Numbers(Uint8Array);
  readonly #stopEvents = new Numbers(Int32Array);
  readonly #labels = new Numbers(Int32Array);

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
    if (index >= 0) this.#numbers.set(index, this.count + 1);
    this.start.varUint(activity.startNs - (this.#lastNs ?? startNs));
    this.#lastNs = activity.startNs;
    this.task.varUint(this.#names.task(provider, task));
    this.id.optionalVarUint(this.#names.activityId(activity));
    this.parent.optionalVarUint(parent && this.numberOf(parent));
    this.thread.varUint(this.#names.thread(processId, startThreadId ?? stopThreadId));
    this.startEvent.optionalVarUint(startEvent);
    this.#stopEvents.set(this.count, -1);
    this.#labels.set(this.count, -1);
    this.update(activity, this.count++);
  }

  /** The index of a started activity in the report. */
  numberOf({ index }: TracedActivity): number | undefined {
    const number = this.#numbers.get(index);
    return number === 0 ? undefined : number - 1;
  }

  /** Takes the current state of an activity. */
  update(activity: TracedActivity, number: number | undefined = this.numberOf(activity)): void {
    if (number === undefined) return;
    this.#durations.set(number, activity.durationNs ?? -1);
    this.#covered.set(number, activity.coveredNs);
    this.#states.set(number, ACTIVITY_STATES.indexOf(activity.state) + (activity.isFailed ? FAILED : 0));
  }

  /** @param number the index of an activity in the report */
  stop(number: number, stopEvent: number | undefined): void {
    this.#stopEvents.set(number, stopEvent ?? -1);
  }

  /** @param label what activities of its kind are called */
  explain(activity: TracedActivity, label: string): void {
    const number = this.numberOf(activity);
    if (number !== undefined) this.#labels.set(number, this.#names.label(label) ?? -1);
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

/** Numbers by index, 0 until they are set: a million of them in an array would take 8 to 12 MB. */
class Numbers {
  length = 0;
  #memory: TypedNumbers;

  constructor(Memory: new (length: number) => TypedNumbers) {
    this.#memory = new Memory(FIRST_SIZE);
  }

  get(index: number): number {
    return this.#memory[index] ?? 0;
  }

  set(index: number, number: number): void {
    if (index >= this.#memory.length) this.#memory = enlarged(this.#memory, index + 1);
    this.#memory[index] = number;
    this.length = Math.max(this.length, index + 1);
  }
}

type TypedNumbers = Float64Array | Int32Array | Uint8Array;

const FIRST_SIZE = 1024;

/** @param offset 1 for optional numbers */
function columnOf(numbers: Numbers, offset: number): ReportColumn {
  const column = new ReportColumn();
  for (let index = 0; index < numbers.length; index++) column.varUint(numbers.get(index) + offset);
  return column;
}
