/** Work that belongs to an activity from elsewhere: of another thread, of whoever put it into a queue or a pool. */
import { ManualIdContext } from '../activity/activity.ts';
import { Guid } from '../activity/guid.ts';
import { sharedActivities } from '../activity/shared.ts';

/**
 * An activity to be inside of: the handle that its Start returned, or its id as GUID text, as it came with a message.
 * Undefined, as `currentActivityId` is outside of any activity: none in particular.
 */
export type ActivityParent = { run<Result>(work: () => Result): Result } | string | undefined;

/**
 * Runs the function, and all that it causes, inside the activity: its events carry the activity's id, and the
 * activities that it starts have it as their related one. While nobody listens, and for a text that is no GUID, it
 * is only run.
 */
export function runInActivity<Result>(parent: ActivityParent, work: () => Result): Result {
  const { flow } = sharedActivities();
  if (parent === undefined || !flow.active) return work();
  if (typeof parent !== 'string') return parent.run(work);
  const id = Guid.tryParse(parent);
  return id === undefined ? work() : flow.run(new ManualIdContext(undefined, id), work);
}

/**
 * A function that does the same inside the activity in which it is bound, whoever calls it and when: for the
 * callbacks of pools, queues and emitters. While nobody listens it is the function itself.
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
