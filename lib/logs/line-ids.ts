/** The activity ids of a log line. */
import { traceOf } from '../activity/crossing.ts';
import { formatActivityPath } from '../activity/path.ts';
import { sharedActivities } from '../activity/shared.ts';

/**
 * The activity's ids as in traces; those of the distributed trace under the names used by OpenTelemetry's logger
 * instrumentations.
 */
interface LineIds {
  /** GUID text. */
  readonly activityId?: string;
  /** The activity's path for readers: `//1/1/2`. */
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

/** Frozen, because it is shared. */
const NO_IDS: LineIds = Object.freeze({});

/** The ids of the running code; empty outside activities, and while nobody wants activities. */
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
