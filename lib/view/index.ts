/** `tracewright/view`: the activities of a trace, from its events: their tree, durations, statistics. */
export { ActivityStats, type NameStats } from './activity-stats.ts';
export { type ActivityChange, ActivityTracker } from './activity-tracker.ts';
export { type ActivityNode, ActivityTree, nodesOf } from './activity-tree.ts';
export { type ComparedName, compareStats } from './compare.ts';
export { type CriticalStep, criticalPath } from './critical-path.ts';
export { EVENT_COLUMNS, type EventRow, eventCells, eventRow } from './event-row.ts';
export { QUANTILE_ERROR } from './quantiles.ts';
export { TraceSummary } from './trace-summary.ts';
export type { TracedActivity } from './traced-activity.ts';
