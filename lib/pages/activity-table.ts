/** The activities of a report, as a tree. */
import { ACTIVITY_STATES, FAILED, type ReportHeader, type ReportTask } from '../view/report/report-header.ts';
import type { Columns } from './columns.ts';
import type { EventTable } from './event-table.ts';
import { type Grouped, grouped, indicesWhere, itemsOf } from './grouped.ts';
import { instants, nanoseconds, optionalNumbers, wholeNumbers } from './numbers.ts';

type StateName = (typeof ACTIVITY_STATES)[number];

export class ActivityTable {
  readonly count: number;
  readonly start: Float64Array;
  /** The trace's end if it has not ended. */
  readonly end: Float64Array;
  readonly covered: Float64Array;
  readonly state: Uint32Array;
  readonly task: Uint32Array;
  readonly id: Int32Array;
  /** -1 at the top. */
  readonly parent: Int32Array;
  readonly depth: Uint32Array;
  readonly thread: Uint32Array;
  /** It says what activities of its kind are called, as an index, or -1. */
  readonly kindLabel: Int32Array;
  /** Indices of events; -1 if the report does not contain the event. */
  readonly startEvent: Int32Array;
  readonly stopEvent: Int32Array;
  /** 1 for each activity whose stop has `success: false`. */
  readonly failed: Uint8Array;
  readonly failedCount: number;
  readonly roots: Uint32Array;
  /** The events of each activity, except CPU samples. */
  readonly events: Grouped;
  readonly #children: Grouped;
  readonly #header: ReportHeader;
  readonly #events: EventTable;

  constructor(header: ReportHeader, columns: Columns, events: EventTable) {
    this.#header = header;
    this.#events = events;
    this.start = instants(columns.activityStart, header.startNs);
    this.covered = nanoseconds(columns.activityCovered, false);
    const states = wholeNumbers(columns.activityState);
    this.state = states.map((state) => state % FAILED);
    this.failed = Uint8Array.from(states, (state) => (state >= FAILED ? 1 : 0));
    this.task = wholeNumbers(columns.activityTask);
    this.id = optionalNumbers(columns.activityId);
    this.parent = optionalNumbers(columns.activityParent);
    this.thread = wholeNumbers(columns.activityThread);
    this.kindLabel = optionalNumbers(columns.activityLabel);
    this.startEvent = optionalNumbers(columns.activityStartEvent);
    this.stopEvent = optionalNumbers(columns.activityStopEvent);
    this.count = this.start.length;
    this.failedCount = this.failed.reduce((sum, failed) => sum + failed, 0);
    this.end = this.#ends(nanoseconds(columns.activityDuration, true));
    this.depth = this.#depths();
    this.#children = grouped(this.parent, this.count);
    const isListed = (event: number) => !events.isSample(event);
    this.events = grouped(events.activity, this.count, indicesWhere(events.count, isListed));
    this.roots = indicesWhere(this.count, (index) => this.parent[index] === -1);
  }

  #ends(durations: Float64Array): Float64Array {
    return this.start.map((start, index) => {
      const duration = durations[index] as number;
      if (this.stateOf(index) === 'unstarted') return start;
      return duration < 0 ? this.#header.endNs : start + duration;
    });
  }

  #depths(): Uint32Array {
    const depth = new Uint32Array(this.count);
    for (let index = 0; index < this.count; index++) {
      const parent = this.parent[index] as number;
      if (parent >= 0) depth[index] = (depth[parent] as number) + 1;
    }
    return depth;
  }

  stateOf(index: number): StateName {
    return ACTIVITY_STATES[this.state[index] as number] as StateName;
  }

  children(index: number): Uint32Array {
    return itemsOf(this.#children, index);
  }

  durationNs(index: number): number {
    return (this.end[index] as number) - (this.start[index] as number);
  }

  /** Returns undefined if the activity has not ended. */
  selfNs(index: number): number | undefined {
    const state = this.stateOf(index);
    if (state === 'open' || state === 'unstarted') return undefined;
    return this.durationNs(index) - (this.covered[index] as number);
  }

  taskOf(index: number): ReportTask {
    return this.#header.tasks[this.task[index] as number] as ReportTask;
  }

  /** `Request` */
  name(index: number): string {
    return this.taskOf(index).name;
  }

  provider(index: number): string {
    return this.#header.providers[this.taskOf(index).provider] ?? '';
  }

  /** `//1/1/6`, or a GUID. */
  path(index: number): string {
    return this.#events.idText(this.id[index] as number);
  }

  /** The error of a failed activity, possibly empty; undefined for all others. */
  failure(index: number): string | undefined {
    return this.failed[index] === 1 ? this.#events.error(this.stopEvent[index] as number) : undefined;
  }

  /** It says what activities of its kind are called: `GET /user/:id`. */
  title(index: number): string {
    return this.#header.labels[this.kindLabel[index] as number] ?? this.label(index);
  }

  /** The name, and what identifies the start: `Request GET /users/7` */
  label(index: number): string {
    return `${this.name(index)} ${this.#events.title(this.startEvent[index] as number)}`.trimEnd();
  }
}
