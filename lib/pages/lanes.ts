/** The lanes of the timeline, one per thread or per top-level activity, and the rows in each. */
import type { ReportHeader, ReportThread } from '../view/report/report-header.ts';
import { type Grouped, grouped } from './grouped.ts';
import type { ReportData } from './report-data.ts';
import { stack } from './stacking.ts';

export type LaneKind = 'activity' | 'thread';

export interface Lane {
  readonly title: string;
  /** The first row shows the title; then come the events, if it has `events`, then the activities. */
  readonly firstRow: number;
  readonly rowCount: number;
  readonly hasEvents: boolean;
}

export interface Lanes {
  readonly list: readonly Lane[];
  readonly rowCount: number;
  readonly laneOfRow: Uint32Array;
  /** -1 for events that are not shown separately: starts and stops of activities whose bars show them. */
  readonly eventRow: Int32Array;
  readonly activityRow: Int32Array;
  readonly eventsByRow: Grouped;
  readonly activitiesByRow: Grouped;
}

export function lanesBy(kind: LaneKind, data: ReportData): Lanes {
  return kind === 'thread' ? lanesByThread(data) : lanesByActivity(data);
}

function lanesByThread(data: ReportData): Lanes {
  const { activities, events, header } = data;
  const order = threadOrder(header);
  const lane = Int32Array.from(activities.thread, (thread) => order.indexOfThread[thread] as number);
  const parent = activities.parent.map((above, index) =>
    above >= 0 && lane[above] === lane[index] ? above : -1,
  );
  return build(data, {
    titles: order.threads.map((thread) => threadTitle(header.threads[thread] as ReportThread)),
    lane,
    parent,
    eventLane: Int32Array.from(events.thread, (thread) => order.indexOfThread[thread] as number),
    hasActivityEvents: false,
  });
}

function lanesByActivity(data: ReportData): Lanes {
  const { activities, events } = data;
  const lane = new Int32Array(activities.count);
  const titles: string[] = [];
  const laneOfTask = new Map<number, number>();
  for (let index = 0; index < activities.count; index++) {
    const above = activities.parent[index] as number;
    const task = activities.task[index] as number;
    lane[index] = above >= 0 ? (lane[above] as number) : (laneOfTask.get(task) ?? titles.length);
    if (above >= 0 || laneOfTask.has(task)) continue;
    laneOfTask.set(task, titles.length);
    titles.push(`${activities.provider(index)}/${activities.name(index)}`);
  }
  const outside = titles.push('Events in no activity') - 1;
  const isEnd = new Uint8Array(events.count);
  for (const ends of [activities.startEvent, activities.stopEvent]) {
    for (const event of ends) if (event >= 0) isEnd[event] = 1;
  }
  const eventLane = events.activity.map((activity, event) =>
    activity < 0 ? outside : isEnd[event] === 1 ? -1 : (lane[activity] as number),
  );
  return build(data, { titles, lane, parent: activities.parent, eventLane, hasActivityEvents: true });
}

interface Plan {
  readonly titles: readonly string[];
  readonly lane: Int32Array;
  readonly parent: Int32Array;
  /** -1: not shown. */
  readonly eventLane: Int32Array;
  /** Whether events are shown in the rows of their activities instead of in one row per lane. */
  readonly hasActivityEvents: boolean;
}

function build({ activities, events }: ReportData, plan: Plan): Lanes {
  const { titles, lane, parent, eventLane, hasActivityEvents } = plan;
  const bars = { start: activities.start, end: activities.end, parent, lane };
  const { row, laneHeights } = stack(bars, titles.length);
  const isOwnRow = (event: number) => !hasActivityEvents || (events.activity[event] as number) < 0;
  const hasEvents = new Uint8Array(titles.length);
  for (let event = 0; event < events.count; event++) {
    const index = eventLane[event] as number;
    if (index >= 0 && isOwnRow(event)) hasEvents[index] = 1;
  }
  const list: Lane[] = [];
  const barsTop = new Int32Array(titles.length);
  let rowCount = 0;
  for (const [index, title] of titles.entries()) {
    const height = 1 + (hasEvents[index] as number) + (laneHeights[index] as number);
    barsTop[index] = rowCount + 1 + (hasEvents[index] as number);
    const isEmpty = height === 1;
    list.push({
      title,
      firstRow: rowCount,
      rowCount: isEmpty ? 0 : height,
      hasEvents: hasEvents[index] === 1,
    });
    if (!isEmpty) rowCount += height;
  }
  const laneOfRow = new Uint32Array(rowCount);
  for (const [index, { firstRow, rowCount: height }] of list.entries()) {
    laneOfRow.fill(index, firstRow, firstRow + height);
  }
  const activityRow = row.map((own, index) => (barsTop[lane[index] as number] as number) + own);
  const eventRow = eventLane.map((index, event) => {
    if (index < 0) return -1;
    return isOwnRow(event)
      ? (list[index] as Lane).firstRow + 1
      : (activityRow[events.activity[event] as number] as number);
  });
  return {
    list,
    rowCount,
    laneOfRow,
    eventRow,
    activityRow,
    eventsByRow: grouped(eventRow, rowCount),
    activitiesByRow: grouped(activityRow, rowCount),
  };
}

/** Sorts by process, then by thread. */
function threadOrder({ threads }: ReportHeader) {
  const key = ({ processId = -1, threadId = -1 }: ReportThread) => [processId, threadId] as const;
  const order = [...threads.keys()].sort((a, b) => {
    const [processA, threadA] = key(threads[a] as ReportThread);
    const [processB, threadB] = key(threads[b] as ReportThread);
    return processA - processB || threadA - threadB;
  });
  const indexOfThread = new Int32Array(threads.length);
  for (const [index, thread] of order.entries()) indexOfThread[thread] = index;
  return { threads: order, indexOfThread };
}

/** `node (4321) · thread 4322` */
export function threadTitle(thread: ReportThread): string {
  const { threadId } = thread;
  const own = threadId === undefined ? 'unknown thread' : `thread ${threadId}`;
  return thread.processId === undefined ? own : `${processTitle(thread)} · ${own}`;
}

/** `node (4321)` */
/** Whether the trace has several processes: lists then say which. */
export function hasProcesses(threads: readonly ReportThread[]): boolean {
  return new Set(threads.map(({ processId }) => processId).filter((id) => id !== undefined)).size > 1;
}

export function processTitle({ processId, processName }: ReportThread): string {
  return processName === undefined ? `process ${processId}` : `${processName} (${processId})`;
}
