/** `tracewright/view`: the activities of a trace, from its events: their tree, durations, statistics. */
export type { FieldSelection } from './activity-fields.ts';
export { ActivityStats, type NameStats, SelectedStats, type StatsSelection } from './activity-stats.ts';
export { type ActivityNode, ActivityTree, type ActivityTreeOptions, nodesOf } from './activity-tree.ts';
export { type CriticalStep, criticalPath, type TimedNode } from './critical-path.ts';
export type { Boundary } from './event-names.ts';
export { type EventRow, eventRow } from './event-row.ts';
export type { Quantiles } from './quantiles.ts';
export type { Span } from './spans.ts';
export { type ActivityChange, TraceActivities } from './trace-activities.ts';
export { type EventCount, type ProviderCount, TraceSummary } from './trace-summary.ts';
export type { ActivityState, TracedActivity } from './traced-activity.ts';
