/** What activities cost: CPU time, as `tracewright view --cpu` says it, or how often an event happened in them, as `--metric` does. */

import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { ActivityTreeOptions } from '../view/activity-tree.ts';
import type { CpuActivity } from '../view/cpu/cpu-activities.ts';
import type { CpuCosts } from '../view/cpu/cpu-profile.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';
import type { ActivityMetric } from '../view/cpu/metric-activities.ts';

export interface CpuTimesOptions extends FrameFolders, Pick<ActivityTreeOptions, 'isRoot'> {}

export interface CpuTimes extends CpuCosts {
  /** Activities by name, each with those inside it after it, the largest first. It is empty if the trace has no switches. */
  readonly activities: readonly CpuActivity[];
}

/**
 * Reads the trace to its end, and counts its CPU samples by activity, by function and as a tree of calls: all of them,
 * or those in the activities that `isRoot` selects.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function cpuTimes(trace: Trace, options: CpuTimesOptions = {}): Promise<CpuTimes> {
  const [{ CpuAccount }, { cpuActivity, namedTimes }, { frameNamesIn }] = await Promise.all([
    import('../view/cpu/cpu-account.ts'),
    import('../view/cpu/cpu-activities.ts'),
    import('../view/cpu/frame-folders.ts'),
  ]);
  const account = new CpuAccount(frameNamesIn(options), options.isRoot);
  for await (const batch of trace.batches()) for (const event of batch) account.add(event);
  account.end();
  const nsOf = account.nsOf.bind(account);
  const names = account.switches === 0 ? [] : [...namedTimes(account.activities.names(), nsOf)];
  return {
    ...account.profile.costs(trace.processNames, trace.mappings),
    activities: names.map(({ node, path }) => cpuActivity(node, path, nsOf)),
  };
}

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
