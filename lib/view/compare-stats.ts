/** Two sets of activities side by side, by name: of two traces, or of two activities. */
import type { ActivityStats, NameStats } from './activity-stats.ts';

export interface ComparedName {
  readonly name: string;
  readonly before: NameStats | undefined;
  readonly after: NameStats | undefined;
  /** The increase of the total in nanoseconds. */
  readonly totalChangeNs: number;
}

/** The largest change of the total comes first. */
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
