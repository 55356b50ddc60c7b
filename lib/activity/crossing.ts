/** Activities that cross process boundaries: how they get, and inherit, their place in a trace. */
import type { Activity, ActivityContext } from './activity.ts';
import { TraceContext } from './trace-context.ts';

/** The context of code caused by a message from another process: in its trace, but inside no activity. */
export class RemoteContext implements ActivityContext {
  readonly trace: TraceContext;

  constructor(trace: TraceContext) {
    this.trace = trace;
  }

  get activity(): undefined {
    return undefined;
  }

  get manualId(): undefined {
    return undefined;
  }
}

/**
 * The place in its trace of an activity that crosses process boundaries, which may begin there. Somebody must ask for
 * it first: random ids take a request half a microsecond, and without a recorder most are never read.
 */
export function giveTrace(activity: Activity): TraceContext {
  if (!activity.awaitsTrace && activity.trace !== undefined) return activity.trace;
  activity.awaitsTrace = false;
  let outer = activity;
  while (outer.trace === undefined && outer.creator !== undefined) {
    outer = outer.creator;
    if (outer.awaitsTrace) giveTrace(outer);
  }
  // On the outermost activity, so that everything else it causes is in the same trace.
  outer.trace ??= TraceContext.begin();
  activity.trace = outer.trace.child();
  return activity.trace;
}

/** The trace to which code belongs: that of the innermost crossing activity, or of the message that caused it. */
export function traceOf(context: ActivityContext | undefined): TraceContext | undefined {
  let activity = context?.activity;
  let trace = activity === context ? undefined : context?.trace;
  while (trace === undefined && activity !== undefined) {
    trace = activity.awaitsTrace ? giveTrace(activity) : activity.trace;
    activity = activity.creator;
  }
  return trace === undefined || trace.spanId === '' ? undefined : trace;
}
