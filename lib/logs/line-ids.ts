/** What a log line says of the activity that it belongs to. */
import { traceOf } from '../activity/crossing.ts';
import { formatActivityPath } from '../activity/path.ts';
import { sharedActivities } from '../activity/shared.ts';

/** As in traces, and of the trace across processes as OpenTelemetry's instrumentations of loggers name it. */
export interface LineIds {
  /** GUID text. */
  readonly activityId?: string;
  /** The same for people: `//1/1/2`. */
  readonly activityPath?: string;
  /** 32 hexadecimal digits. */
  readonly trace_id?: string;
  /** 16 hexadecimal digits. */
  readonly span_id?: string;
  readonly trace_flags?: string;
}

export const LINE_IDS: ReadonlySet<string | symbol> = new Set([
  'activityId',
  'activityPath',
  'trace_id',
  'span_id',
  'trace_flags',
] satisfies (keyof LineIds)[]);

/** Frozen, because it is everyone's. */
const NO_IDS: LineIds = Object.freeze({});

/** Of the running code; empty outside of any activity, and while nobody wants activities. */
export function lineIds(): LineIds {
  const { flow, tracker } = sharedActivities();
  const { context } = flow;
  if (context === undefined) return NO_IDS;
  const id = tracker.currentActivityId(context);
  const trace = traceOf(context);
  return {
    ...(id && { activityId: id.toString(), activityPath: formatActivityPath(id, tracker.processId) }),
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId, trace_flags: `0${trace.flags}` }),
  };
}
