/**
 * Work that belongs to an activity from elsewhere: from another thread, or from whoever put it into a queue or a pool.
 */
import { type ActivityContext, ManualIdContext } from '../activity/activity.ts';
import { RemoteContext } from '../activity/crossing.ts';
import { Guid } from '../activity/guid.ts';
import { sharedActivities } from '../activity/shared.ts';
import { TraceContext, type TraceHeaders } from '../activity/trace-context.ts';

/**
 * An activity to run inside: the handle returned by its Start, or its id as GUID text, as received with a message; or
 * one of another process, as a `traceparent` or an object that has one, such as a message's headers. Undefined, the
 * value of `currentActivityId` outside any activity, means none.
 */
export type ActivityParent = { run<Result>(work: () => Result): Result } | TraceHeaders | string | undefined;

/**
 * Runs the function, and everything it causes, inside the activity: its events carry the activity's id, and activities
 * that it starts have it as their related id. For an activity of another process, they are in its trace. While nothing
 * listens, and for text that is neither a GUID nor a traceparent, the function is just called.
 */
export function runInActivity<Result>(parent: ActivityParent, work: () => Result): Result {
  const { flow } = sharedActivities();
  if (parent === undefined || !flow.active) return work();
  if (isHandle(parent)) return parent.run(work);
  const context = contextOf(parent);
  return context === undefined ? work() : flow.run(context, work);
}

/** The activity that a parent from elsewhere refers to; undefined if it refers to none that is known. */
export function contextOf(parent: TraceHeaders | string): ActivityContext | undefined {
  if (typeof parent === 'string') {
    const id = Guid.tryParse(parent);
    if (id !== undefined) return new ManualIdContext(undefined, id);
  }
  const { traceparent, tracestate } =
    typeof parent === 'string' ? { traceparent: parent, tracestate: undefined } : (parent ?? {});
  const trace = TraceContext.parse(traceparent, tracestate);
  return trace === undefined ? undefined : new RemoteContext(trace);
}

type Handle = Extract<ActivityParent, { run: unknown }>;

function isHandle(parent: Exclude<ActivityParent, undefined>): parent is Handle {
  return typeof parent === 'object' && typeof (parent as Partial<Handle> | null)?.run === 'function';
}

/**
 * A function that does the same inside the activity in which it is bound, whoever calls it and whenever: for callbacks
 * of pools, queues and emitters. While nothing listens, it is the function itself.
 */
export function bindActivity<Bound extends (...args: never[]) => unknown>(work: Bound): Bound {
  const { flow } = sharedActivities();
  if (!flow.active) return work;
  const { context } = flow;
  return function (this: unknown, ...args: never[]) {
    if (!flow.active) return Reflect.apply(work, this, args);
    return flow.run(context, () => Reflect.apply(work, this, args));
  } as Bound;
}
