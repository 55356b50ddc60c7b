/** `tracewright/view`: what the command tells of a trace, for programs: activities, explanations, reports, exports. */
export type { ExportFormat } from '../export/exporters.ts';
export type { FieldSelection } from '../view/activity-fields.ts';
export { ActivityStats, type NameStats, SelectedStats, type StatsSelection } from '../view/activity-stats.ts';
export { type ActivityNode, ActivityTree, type ActivityTreeOptions, nodesOf } from '../view/activity-tree.ts';
export type {
  ComparedKind,
  ComparedMeasure,
  ComparedSide,
  Comparison,
  CountedKind,
} from '../view/compare/comparison-json.ts';
export type { CpuActivity } from '../view/cpu/cpu-activities.ts';
export type { CallNode, CpuCosts, FunctionCost } from '../view/cpu/cpu-profile.ts';
export type { FrameFolders } from '../view/cpu/frame-folders.ts';
export type { ActivityMetric } from '../view/cpu/metric-activities.ts';
export { type CriticalStep, criticalPath, type TimedNode } from '../view/critical-path.ts';
export type { Boundary } from '../view/event-names.ts';
export { type EventRow, eventRow } from '../view/event-row.ts';
export type {
  ExplainedActivity,
  ExplainedKind,
  ExplainedModules,
  ExplainedRun,
  ExplainedState,
  Explanation,
} from '../view/explain/explanation-json.ts';
export { openTraces } from '../view/merge/merged-trace.ts';
export type { Quantiles } from '../view/quantiles.ts';
export type { Span } from '../view/spans.ts';
export { type ActivityChange, TraceActivities } from '../view/trace-activities.ts';
export { type EventCount, type ProviderCount, TraceSummary } from '../view/trace-summary.ts';
export type { ActivityState, TracedActivity } from '../view/traced-activity.ts';
export {
  type ActivityMetrics,
  type ActivityMetricsOptions,
  activityMetrics,
  type CpuTimes,
  type CpuTimesOptions,
  cpuTimes,
} from './costs.ts';
export { type DiffOptions, diffTraces, type ExplainOptions, explainTrace } from './explanations.ts';
export {
  type ExportOptions,
  exportTables,
  exportTrace,
  type ReportOptions,
  reportTrace,
  type TablesOptions,
} from './exports.ts';
