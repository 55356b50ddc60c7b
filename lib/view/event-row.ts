/**
 * An event as a row of the table in "EventSource Activity Support": when, on which thread, in which activity and, for a
 * stop, how long the activity took.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import { activityKey } from './activity-key.ts';
import { eventName } from './event-names.ts';
import { milliseconds, thousands } from './number-text.ts';
import type { ActivityChange } from './trace-activities.ts';

export interface EventRow {
  /** `MyCompany-MyService/Request/Start` */
  readonly eventName: string;
  /** Nanoseconds since the trace's start. */
  readonly timeNs: number;
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** Paths such as `//1/1/6`; GUIDs if the ids are not paths. */
  readonly activity: string | undefined;
  readonly relatedActivity: string | undefined;
  /** Present for a stop whose start is in the trace. */
  readonly durationNs: number | undefined;
}

/** @param change the result of TraceActivities for the event */
export function eventRow(event: TraceEvent, change: ActivityChange | undefined): EventRow {
  const { processId, threadId } = event;
  return {
    eventName: eventName(event),
    timeNs: event.nsSinceStart,
    processId,
    threadId,
    activity: activityKey(event.activityId, processId)?.text,
    relatedActivity: activityKey(event.relatedActivityId, processId)?.text,
    durationNs: change?.boundary === 'Stop' ? change.activity.durationNs : undefined,
  };
}

/** The table's columns, as PerfView and the specification name them. */
export const EVENT_COLUMNS = [
  'Event Name',
  'Time MSec',
  'ThreadID',
  'ActivityID',
  'RelatedActivityID',
  'DURATION_MSEC',
] as const;

/** Numbers are right-aligned. */
export const EVENT_ALIGNMENT = ['left', 'right', 'right', 'left', 'left', 'right'] as const;

export function eventCells(row: EventRow): string[] {
  return [
    row.eventName,
    milliseconds(row.timeNs),
    row.threadId === undefined ? '' : thousands(row.threadId),
    row.activity ?? '',
    row.relatedActivity ?? '',
    row.durationNs === undefined ? '' : milliseconds(row.durationNs),
  ];
}
