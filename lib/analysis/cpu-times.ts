/** Where the CPU time of a trace went, as `tracewright view --cpu` says it. */
import type { Trace } from '../trace/trace.ts';
import type { ActivityTreeOptions } from '../view/activity-tree.ts';
import type { CpuActivity } from '../view/cpu/cpu-activities.ts';
import type { CpuCosts } from '../view/cpu/cpu-profile.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';

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
