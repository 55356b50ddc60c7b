/** The activities of a trace as rows, in the order of their ends. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { Span } from '../../view/spans.ts';
import { TraceActivities } from '../../view/trace-activities.ts';
import type { TracedActivity } from '../../view/traced-activity.ts';
import type { ParquetClock } from './partitions.ts';
import type { TableFiles } from './table-files.ts';
import type { ActivityTable } from './tables.ts';

/** A killed activity may still stop, while TraceActivities knows it. */
const MAX_WAITING = 5000;
/** Around an activity, in which a span is looked for. */
const MAX_LEVELS = 100;
/** The payloads of starts that are kept, in characters. */
const MAX_PAYLOADS = 32e6;
/** What stays between the pieces of a trace, of which there may be hundreds: open activities, ended ones, payloads. */
const MAX_CARRIED = { open: 10_000, ended: 500, payloads: 1e6 };

interface Row {
  readonly activity: TracedActivity;
  readonly path: string | undefined;
  readonly parentPath: string | undefined;
  readonly service: string;
  startPayload: string | undefined;
  stopPayload: string | undefined;
}

interface ActivityRowsOptions {
  readonly files: TableFiles<ActivityTable>;
  readonly clock: ParquetClock;
}

export class ActivityRows {
  readonly #options: ActivityRowsOptions;
  readonly #activities = new TraceActivities((activity) => this.#closed.push(activity));
  /** The rows of open and waiting activities, by their index. */
  readonly #rows = new Map<number, Row>();
  #closed: TracedActivity[] = [];
  /** Killed activities, in order of their ends. */
  readonly #waiting = new Set<Row>();
  #payloads = 0;
  #hasSpans = false;

  constructor(options: ActivityRowsOptions) {
    this.#options = options;
  }

  /** The event's path, if its activity id is one. */
  pathOf(event: TraceEvent): string | undefined {
    const key = this.#activities.keys.ofEvent(event);
    return key?.isPath ? key.text : undefined;
  }

  /** The activity that an event is in. */
  activityOf(event: TraceEvent): TracedActivity | undefined {
    return this.#activities.activityOf(event);
  }

  /** The span that an event is in. */
  spanOf(event: TraceEvent): Span | undefined {
    return this.#hasSpans ? this.#spanAround(this.#activities.activityOf(event)) : undefined;
  }

  /**
   * Takes the next event in time order.
   *
   * @param payload as JSON
   */
  add(event: TraceEvent, service: string, payload: string): void {
    const change = this.#activities.add(event);
    if (change === undefined) return;
    const { boundary, activity } = change;
    if (boundary === 'Start') this.#start(activity, event, service, payload);
    else this.#stop(activity, event, service, payload);
    if (this.#closed.length > 0) this.#takeClosed();
  }

  /** Writes those that have ended. */
  flush(): void {
    this.#writeWaiting(0);
  }

  /**
   * Writes, between two pieces of a trace, the activities that have ended, except the last, whose stops may be late.
   */
  endPiece(): void {
    this.#writeWaiting(MAX_CARRIED.ended);
    this.#activities.retain(MAX_CARRIED);
    this.#takeClosed();
    if (this.#payloads <= MAX_CARRIED.payloads) return;
    for (const row of this.#rows.values()) row.startPayload = undefined;
    this.#payloads = 0;
  }

  /** How many activities stay. */
  get carried(): number {
    return this.#rows.size;
  }

  /** Writes all. */
  end(): void {
    this.flush();
    for (const activity of this.#activities.open()) {
      const row = this.#rows.get(activity.index);
      if (row !== undefined) this.#write(row);
    }
  }

  #start(activity: TracedActivity, event: TraceEvent, service: string, payload: string): void {
    this.#hasSpans ||= activity.span !== undefined;
    const isKept = this.#payloads + payload.length <= MAX_PAYLOADS;
    if (isKept) this.#payloads += payload.length;
    this.#rows.set(activity.index, this.#rowOf(activity, event, service, isKept ? payload : undefined));
  }

  #stop(activity: TracedActivity, event: TraceEvent, service: string, payload: string): void {
    const isStarted = activity.state !== 'unstarted';
    const row = isStarted ? this.#rows.get(activity.index) : this.#rowOf(activity, event, service, undefined);
    // It may have been written as killed.
    if (row === undefined) return;
    row.stopPayload = payload;
    if (isStarted && !this.#waiting.delete(row)) return;
    this.#write(row);
  }

  #rowOf(
    activity: TracedActivity,
    event: TraceEvent,
    service: string,
    startPayload: string | undefined,
  ): Row {
    const { parent } = activity;
    return {
      activity,
      path: this.pathOf(event),
      parentPath: parent && (this.#rows.get(parent.index)?.path ?? this.#pathOfEnded(parent)),
      service,
      startPayload,
      stopPayload: undefined,
    };
  }

  #pathOfEnded({ id, processId }: TracedActivity): string | undefined {
    const key = this.#activities.keys.of(id, processId);
    return key?.isPath ? key.text : undefined;
  }

  /** Its own, or that of the nearest activity around it with one. */
  #spanAround(activity: TracedActivity | undefined): Span | undefined {
    if (!this.#hasSpans) return undefined;
    let around = activity;
    for (let level = 0; level < MAX_LEVELS && around !== undefined; level++) {
      if (around.span !== undefined) return around.span;
      around = around.parent;
    }
    return undefined;
  }

  #takeClosed(): void {
    const closed = this.#closed;
    this.#closed = [];
    for (const activity of closed) {
      const row = this.#rows.get(activity.index);
      if (row === undefined) continue;
      if (activity.state === 'killed') this.#waiting.add(row);
      else this.#write(row);
    }
    this.#writeWaiting(MAX_WAITING);
  }

  #writeWaiting(most: number): void {
    for (const row of this.#waiting) {
      if (this.#waiting.size <= most) return;
      this.#waiting.delete(row);
      this.#write(row);
    }
  }

  #write(row: Row): void {
    const { activity, service, path, startPayload, stopPayload } = row;
    const { files, clock } = this.#options;
    const { parent, span, state } = activity;
    const isStarted = state !== 'unstarted';
    const start = isStarted ? clock.time(activity.startNs) : undefined;
    const end = activity.endNs === undefined ? undefined : clock.time(activity.endNs);
    const textLength = (startPayload?.length ?? 0) + (stopPayload?.length ?? 0);
    const table = files.row(clock.dayOf(start ?? end ?? clock.startTime), service, textLength);
    table.seq.add(isStarted ? activity.index : undefined);
    table.parentSeq.add(parent?.index);
    table.provider.add(activity.provider);
    table.name.add(activity.task);
    table.label.add(activity.label);
    table.activityId.add(activity.id);
    table.path.add(path);
    table.parentPath.add(row.parentPath);
    table.depth.add(activity.depth);
    table.pid.add(activity.processId);
    table.tid.add(activity.startThreadId);
    table.startTs.add(start);
    table.startTsNs.add(start);
    table.endTs.add(end);
    table.endTsNs.add(end);
    table.durNs.add(activity.durationNs);
    table.selfNs.add(activity.selfNs);
    table.state.add(state);
    table.failed.add(Number(activity.isFailed));
    table.startPayload.add(startPayload);
    table.stopPayload.add(stopPayload);
    table.traceId.add(this.#spanAround(activity)?.traceId);
    table.spanId.add(span?.spanId);
    table.parentSpanId.add(span?.parentSpanId);
    this.#payloads -= startPayload?.length ?? 0;
    row.startPayload = row.stopPayload = undefined;
    this.#rows.delete(activity.index);
  }
}
