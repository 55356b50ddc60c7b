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

/** Gives an activity that crosses process boundaries its place in its trace, which may begin here. */
export function giveTrace(activity: Activity): TraceContext {
  let outer = activity;
  while (outer.trace === undefined && outer.creator !== undefined) outer = outer.creator;
  // On the outermost activity, so that everything else it causes is in the same trace.
  outer.trace ??= TraceContext.begin();
  activity.trace = outer.trace.child();
  return activity.trace;
}

/** The trace to which code belongs: that of the innermost crossing activity, or of the message that caused it. */
export function traceOf(context: ActivityContext | undefined): TraceContext | undefined {
  let trace = context?.trace;
  let activity = context?.activity;
  while (trace === undefined && activity !== undefined) {
    trace = activity.trace;
    activity = activity.creator;
  }
  return trace === undefined || trace.spanId === '' ? undefined : trace;
}
