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
import type { TraceEvent } from '../trace/trace-event.ts';
import { eventName } from '../view/event-names.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import type { Lane } from './activity-lanes.ts';
import { ActivityTimeline, type Arrow, argumentsOf, type TimelineWriter } from './activity-timeline.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { JsonPieces } from './json-pieces.ts';

/** Lanes as threads: no system gives a thread such an id. */
const FIRST_LANE_ID = 0x7000_0000;
/** Used if the trace does not contain the id. */
const NO_ID = 0;

const CATEGORY = 'activity';
const FLOW = { cat: 'flow', name: 'starts' } as const;

export class ChromeExport implements Exporter, TimelineWriter {
  readonly notices: string[] = [];
  readonly #json = new JsonPieces();
  readonly #timeline = new ActivityTimeline(this);
  readonly #processIds = new Set<number>();
  #flowCount = 0;

  constructor({ name, info }: ExportedTrace) {
    const { startTime, hasWallTime, format } = info;
    const startDate = hasWallTime ? new Date(Number(startTime / 1_000_000n)) : undefined;
    const isDate = startDate !== undefined && !Number.isNaN(startDate.getTime());
    const otherData = { trace: name, format, ...(isDate && { startTime: startDate.toISOString() }) };
    this.#json.text(`{"displayTimeUnit":"ns","otherData":${JSON.stringify(otherData)},"traceEvents":[`);
  }

  add(event: TraceEvent): void {
    this.#processIds.add(event.processId ?? NO_ID);
    this.#timeline.add(event);
  }

  get isFull(): boolean {
    return this.#json.isFull;
  }

  take(): string {
    return this.#json.take();
  }

  *end({ processNames }: ExportedEnd): Generator<string, void> {
    const notice = this.#timeline.end();
    for (const pid of this.#processIds) {
      const name = processNames.get(pid);
      if (name !== undefined) this.#metadata('process_name', pid, undefined, { name });
    }
    for (const lane of this.#timeline.lanes) {
      const pid = lane.processId ?? NO_ID;
      this.#metadata('thread_name', pid, laneId(lane), { name: `Activities ${lane.number}` });
      this.#metadata('thread_sort_index', pid, laneId(lane), { sort_index: lane.number - FIRST_LANE_ID });
      if (this.#json.isFull) yield this.take();
    }
    this.#json.text('\n]}\n');
    if (notice !== undefined) this.notices.push(notice);
    yield this.take();
  }

  /** @internal */
  begin(event: TraceEvent, activity: TracedActivity, lane: Lane, arrow: Arrow | undefined): void {
    this.#json.element({
      ph: 'B',
      cat: CATEGORY,
      name: activity.task,
      ...placeOf(lane),
      ts: microseconds(activity.startNs),
      args: { ...argumentsOf(event), thread: event.threadId },
    });
    if (arrow === undefined) return;
    const id = ++this.#flowCount;
    this.#json.element({ ph: 's', ...FLOW, id, ...placeOf(arrow.lane), ts: microseconds(arrow.fromNs) });
    const ts = microseconds(activity.startNs);
    this.#json.element({ ph: 'f', ...FLOW, id, bp: 'e', ...placeOf(lane), ts });
  }

  /** @internal */
  stop(activity: TracedActivity, lane: Lane, atNs: number, stop: TraceEvent | string): void {
    const args = {
      stop: typeof stop === 'string' ? stop : argumentsOf(stop),
      failed: activity.isFailed || undefined,
    };
    const ts = microseconds(atNs);
    this.#json.element({ ph: 'E', cat: CATEGORY, name: activity.task, ...placeOf(lane), ts, args });
  }

  /** @internal */
  instant(event: TraceEvent, lane: Lane | undefined, atNs: number): void {
    const thread = { pid: event.processId ?? NO_ID, tid: event.threadId ?? NO_ID };
    const args = argumentsOf(event);
    this.#json.element({
      ph: 'i',
      s: 't',
      cat: event.provider,
      name: eventName(event).slice(event.provider.length + 1),
      ...(lane === undefined ? thread : placeOf(lane)),
      ts: microseconds(atNs),
      args: lane === undefined ? args : { ...args, thread: event.threadId },
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
