/**
 * Loops that perpetuate themselves: a timer or callback, set inside an activity, starts the same activity again after
 * it has ended.
 *
 * .NET's rules nest an activity even in an ended one that caused it, so each iteration would be nested in the last:
 * deeper with every tick, until no ids are left at level 100. Such loops are common in JavaScript, so each iteration
 * becomes a sibling of the last: `//1/1`, `//1/2`, ...
 */
import type { ActivityContext } from './activity.ts';

/**
 * The context in which to start an activity of this name: `context`, unless that is an ended activity of the same name,
 * with only ended ones in between; then the one in which that activity was started.
 */
export function afterFinishedLoop(
  context: ActivityContext | undefined,
  name: string,
): ActivityContext | undefined {
  if (context === undefined || context.manualId !== undefined) return context;
  let activity = context.activity;
  while (activity?.stopped) {
    if (activity.name === name) return activity.creator;
    activity = activity.creator;
  }
  return context;
}
