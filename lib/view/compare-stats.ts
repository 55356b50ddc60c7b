/** Two sets of activities side by side, by their names: two traces, or what happened inside two activities. */
import type { ActivityStats, NameStats } from './activity-stats.ts';

export interface ComparedName {
  readonly name: string;
  readonly before: NameStats | undefined;
  readonly after: NameStats | undefined;
  /** By how much the total has grown, in nanoseconds. */
  readonly totalChangeNs: number;
}

/** Where the total has changed most comes first. */
export function compareStats(before: ActivityStats, after: ActivityStats): ComparedName[] {
  const names = new Set([...before.names, ...after.names].map(({ name }) => name));
  return Array.from(names, (name) => {
    const [left, right] = [before.of(name), after.of(name)];
    return {
      name,
      before: left,
      after: right,
      totalChangeNs: (right?.totalNs ?? 0) - (left?.totalNs ?? 0),
    };
  }).sort((a, b) => Math.abs(b.totalChangeNs) - Math.abs(a.totalChangeNs));
}
