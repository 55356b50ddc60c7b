/** Activities that cross from one process to another: how they get, and inherit, their place in a trace. */
import type { Activity, ActivityContext } from './activity.ts';
import { TraceContext } from './trace-context.ts';

/** The context of code that a message from another process has caused: of its trace, and inside no activity. */
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

/** Gives an activity that crosses its place in the trace that it belongs to, which may begin with it. */
export function giveTrace(activity: Activity): TraceContext {
  let outer = activity;
  while (outer.trace === undefined && outer.creator !== undefined) outer = outer.creator;
  // Of the outermost, so that whatever else it causes is in the same trace.
  outer.trace ??= TraceContext.begin();
  activity.trace = outer.trace.child();
  return activity.trace;
}

/** The trace that code belongs to: that of the innermost activity that crosses, or of the message it came with. */
export function traceOf(context: ActivityContext | undefined): TraceContext | undefined {
  let trace = context?.trace;
  let activity = context?.activity;
  while (trace === undefined && activity !== undefined) {
    trace = activity.trace;
    activity = activity.creator;
  }
  return trace === undefined || trace.spanId === '' ? undefined : trace;
}
