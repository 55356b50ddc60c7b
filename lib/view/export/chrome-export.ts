/**
 * A trace as Chrome's Trace Event JSON, for ui.perfetto.dev, chrome://tracing and other tools.
 *
 * Activities are begin and end events (`B`, `E`) in lanes that the viewer treats as threads: in asynchronous code the
 * activities of one thread overlap, which no viewer can show in the thread itself. Async events (`b`, `e`) would need
 * no lanes, but Perfetto binds flow arrows (`s`, `f`) only to threads, and speedscope and the Firefox Profiler do not
 * show async events at all.
 *
 * Sources: "Trace Event Format" (Chromium's specification of the format); Perfetto's "Visualizing external trace
 * formats".
 */
import { jsonValue, type TraceEvent } from '../../trace/trace-event.ts';
import { eventName } from '../event-names.ts';
import { TraceActivities } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ActivityLanes, type Cause, type Lane } from './activity-lanes.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { JsonPieces } from './json-pieces.ts';

/** Lanes as threads: no system gives a thread such an id. */
const FIRST_LANE_ID = 0x7000_0000;
/** Used if the trace does not contain the id. */
const NO_ID = 0;

const CATEGORY = 'activity';
const FLOW = { cat: 'flow', name: 'starts' } as const;

export class ChromeExport implements Exporter {
  readonly notices: string[] = [];
  readonly #json = new JsonPieces();
  readonly #tracker = new TraceActivities();
  readonly #lanes = new ActivityLanes();
  readonly #processIds = new Set<number>();
  #flowCount = 0;
  #unplaced = 0;

  constructor({ name, info }: ExportedTrace) {
    const { startTime, hasWallTime, format } = info;
    const startDate = hasWallTime ? new Date(Number(startTime / 1_000_000n)) : undefined;
    const isDate = startDate !== undefined && !Number.isNaN(startDate.getTime());
    const otherData = { trace: name, format, ...(isDate && { startTime: startDate.toISOString() }) };
    this.#json.text(`{"displayTimeUnit":"ns","otherData":${JSON.stringify(otherData)},"traceEvents":[`);
  }

  add(event: TraceEvent): void {
    const change = this.#tracker.add(event);
    this.#processIds.add(event.processId ?? NO_ID);
    const isWritten =
      change !== undefined &&
      (change.boundary === 'Start'
        ? this.#start(event, change.activity)
        : this.#stop(event, change.activity));
    if (!isWritten) this.#instant(event);
  }

  get isFull(): boolean {
    return this.#json.isFull;
  }

  take(): string {
    return this.#json.take();
  }

  *end({ processNames }: ExportedEnd): Generator<string, void> {
    for (const open of this.#lanes.closeAll()) this.#endOf(open, { stop: 'not in the trace' });
    for (const pid of this.#processIds) {
      const name = processNames.get(pid);
      if (name !== undefined) this.#metadata('process_name', pid, undefined, { name });
    }
    for (const lane of this.#lanes.lanes) {
      const pid = lane.processId ?? NO_ID;
      this.#metadata('thread_name', pid, laneId(lane), { name: `Activities ${lane.number}` });
      this.#metadata('thread_sort_index', pid, laneId(lane), { sort_index: lane.number - FIRST_LANE_ID });
      if (this.#json.isFull) yield this.take();
    }
    this.#json.text('\n]}\n');
    if (this.#unplaced > 0) {
      this.notices.push(`${this.#unplaced} activities are shown without their duration: too many overlap.`);
    }
    yield this.take();
  }

  #start(event: TraceEvent, activity: TracedActivity): boolean {
    for (const lost of this.#lanes.lostBy(activity)) this.#endOf(lost, { stop: 'not in the trace' });
    const placement = this.#lanes.open(activity);
    if (placement === undefined) {
      this.#unplaced++;
      return false;
    }
    const { lane, cause } = placement;
    this.#json.element({
      ph: 'B',
      cat: CATEGORY,
      name: activity.task,
      ...placeOf(lane),
      ts: microseconds(activity.startNs),
      args: { ...argsOf(event), thread: event.threadId },
    });
    if (cause !== undefined) this.#arrow(cause, lane, activity);
    return true;
  }

  #stop(event: TraceEvent, activity: TracedActivity): boolean {
    const closed = this.#lanes.close(activity);
    for (const ended of closed) {
      const args = ended === activity ? { stop: argsOf(event) } : { stop: `with ${activity.task}` };
      this.#endOf(ended, args);
    }
    return closed.length > 0;
  }

  /** From the start, if the cause is visible there, otherwise from the cause's own start, where it always is. */
  #arrow(cause: Cause, lane: Lane, activity: TracedActivity): void {
    const id = ++this.#flowCount;
    const from = cause.isOnTop ? activity.startNs : cause.activity.startNs;
    this.#json.element({ ph: 's', ...FLOW, id, ...placeOf(cause.lane), ts: microseconds(from) });
    const ts = microseconds(activity.startNs);
    this.#json.element({ ph: 'f', ...FLOW, id, bp: 'e', ...placeOf(lane), ts });
  }

  #endOf(activity: TracedActivity, args: Readonly<Record<string, unknown>>): void {
    const lane = this.#lanes.lastLaneOf(activity) as Lane;
    const ts = microseconds(this.#tracker.nowNs);
    this.#json.element({ ph: 'E', cat: CATEGORY, name: activity.task, ...placeOf(lane), ts, args });
  }

  /** In the lane of its activity while that runs, otherwise in its thread. */
  #instant(event: TraceEvent): void {
    const activity = this.#tracker.activityOf(event);
    const lane = activity && this.#lanes.laneOf(activity);
    const thread = { pid: event.processId ?? NO_ID, tid: event.threadId ?? NO_ID };
    this.#json.element({
      ph: 'i',
      s: 't',
      cat: event.provider,
      name: eventName(event).slice(event.provider.length + 1),
      ...(lane === undefined ? thread : placeOf(lane)),
      ts: microseconds(this.#tracker.nowNs),
      args: lane === undefined ? argsOf(event) : { ...argsOf(event), thread: event.threadId },
    });
  }

  #metadata(name: string, pid: number, tid: number | undefined, args: object): void {
    this.#json.element({ ph: 'M', name, pid, tid, ts: 0, args });
  }
}

function laneId({ index }: Lane): number {
  return FIRST_LANE_ID + index;
}

function placeOf(lane: Lane): { readonly pid: number; readonly tid: number } {
  return { pid: lane.processId ?? NO_ID, tid: laneId(lane) };
}

/** The format uses microseconds; viewers read the decimal places. */
function microseconds(ns: number): number {
  return ns / 1000;
}

function argsOf(event: TraceEvent): Record<string, unknown> {
  const { activityId, activityPath, relatedActivityId, relatedActivityPath, labels, payload } = event;
  return {
    provider: event.provider,
    activity: activityPath ?? activityId,
    related: relatedActivityPath ?? relatedActivityId,
    ...(labels !== undefined && { labels: jsonValue(labels) }),
    fields: jsonValue(payload, event.hexFields),
  };
}
