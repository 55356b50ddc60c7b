/** How often an event happened in activities, or the sum of one of its fields, as `tracewright view --metric` says it. */
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { ActivityTreeOptions } from '../view/activity-tree.ts';
import type { ActivityMetric } from '../view/cpu/metric-activities.ts';

export interface ActivityMetricsOptions extends Pick<ActivityTreeOptions, 'isRoot'> {
  /** Whether the event counts. */
  readonly isCounted: (event: TraceEvent) => boolean;
  /** The field whose values are added up; without it, events are counted. */
  readonly field?: string | undefined;
}

export interface ActivityMetrics {
  /** Activities by name, each with those inside it after it, the largest first. */
  readonly activities: readonly ActivityMetric[];
  /** How many of the events lack the field, or have no number in it: they count as 0. */
  readonly withoutField: number;
}

/**
 * Reads the trace to its end, and charges events to the activities in which they happened: to that of their id,
 * otherwise to the one that their thread ran at that time.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function activityMetrics(
  trace: Trace,
  { isCounted, field, isRoot }: ActivityMetricsOptions,
): Promise<ActivityMetrics> {
  const { MetricActivities } = await import('../view/cpu/metric-activities.ts');
  const metric = new MetricActivities(isCounted, field, isRoot);
  for await (const batch of trace.batches()) for (const event of batch) metric.add(event);
  metric.end();
  return { activities: metric.metrics(), withoutField: metric.withoutField };
}
