/**
 * Loops that go on by themselves: a timer, or a callback, that is set inside an activity and starts the same
 * activity again when that one has ended.
 *
 * By .NET's rules, which make a child even of an activity that has ended when the code was caused by it, each
 * round would be nested in the last: deeper with every tick, until ids give out at level 100. Loops of that
 * kind are how JavaScript is written, so here a round follows the last as its sibling: `//1/1`, `//1/2`, ...
 */
import type { ActivityContext } from './activity.ts';

/**
 * The context in which an activity of the name is to be started: `context`, unless it is that of an earlier
 * activity of that name which has ended, with only ended ones in between; then the one that was started in.
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
