/** An activity of a report as critical-path.ts takes it; what is in it is looked up when it is asked for. */
import type { TimedNode } from '../../critical-path.ts';
import type { ActivityTable } from './activity-table.ts';

export class PathNode implements TimedNode<PathNode> {
  readonly index: number;
  readonly activity: TimedNode<PathNode>['activity'];
  readonly #activities: ActivityTable;

  constructor(activities: ActivityTable, index: number) {
    this.#activities = activities;
    this.index = index;
    this.activity = {
      startNs: activities.start[index] as number,
      endNs: activities.end[index] as number,
      state: activities.stateOf(index),
    };
  }

  get children(): PathNode[] {
    return Array.from(
      this.#activities.children(this.index),
      (child) => new PathNode(this.#activities, child),
    );
  }
}
