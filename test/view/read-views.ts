/** The views of events written in a test. */
import { ActivityStats } from '../../lib/view/activity-stats.ts';
import { ActivityTree, type ActivityTreeOptions } from '../../lib/view/activity-tree.ts';
import { TraceActivities } from '../../lib/view/trace-activities.ts';
import { type WrittenEvent, written } from './written-events.ts';

export function treeOf(events: readonly WrittenEvent[], options: ActivityTreeOptions = {}): ActivityTree {
  const tree = new ActivityTree(options);
  for (const event of events) tree.add(written(event));
  return tree;
}

export function statsOf(events: readonly WrittenEvent[]): ActivityStats {
  const tracker = new TraceActivities();
  const stats = new ActivityStats();
  for (const event of events) {
    const change = tracker.add(written(event));
    if (change !== undefined) stats.add(change);
  }
  return stats;
}
