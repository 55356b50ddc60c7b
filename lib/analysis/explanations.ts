/** Why activities were slow, and what differs between two traces: the answers of `tracewright explain` and `diff`. */
import type { Trace } from '../trace/trace.ts';
import type { FieldSelection } from '../view/activity-fields.ts';
import type { ActivityTreeOptions } from '../view/activity-tree.ts';
import type { Comparison } from '../view/compare/comparison-json.ts';
import type { ComparedTrace } from '../view/compare/trace-comparison.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';
import type {
  ExplainOptions as AccountOptions,
  ExplainedActivities,
} from '../view/explain/explained-activities.ts';
import type { Explanation } from '../view/explain/explanation-json.ts';
import type { FramesOf } from '../view/explain/hot-code.ts';

export interface ExplainOptions
  extends FrameFolders,
    Omit<FieldSelection, 'by'>,
    Pick<ActivityTreeOptions, 'isRoot' | 'slowest'> {}

export interface DiffOptions extends FrameFolders {
  /** Compares only activities with this name or route, in which `*` is any text. */
  readonly name?: string;
}

const DEFAULT_SLOWEST = 5;

/**
 * Reads the trace to its end, and says what its slowest activities waited for: those that `isRoot`, `where` and
 * `isFailed` select, five unless `slowest` says how many.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function explainTrace(trace: Trace, options: ExplainOptions = {}): Promise<Explanation> {
  const [{ ActivityFields }, { Findings }, { explanationJson }, { hintsOf }] = await Promise.all([
    import('../view/activity-fields.ts'),
    import('../view/explain/findings.ts'),
    import('../view/explain/explanation-json.ts'),
    import('../view/explain/totals.ts'),
  ]);
  const { isRoot, where, isFailed = false, slowest = DEFAULT_SLOWEST } = options;
  const fields = where && new ActivityFields({ where });
  const findings = new Findings({
    slowest,
    isChosen: isRoot !== undefined || fields !== undefined || isFailed,
    isWanted: ({ activity }) => (!isFailed || activity.isFailed) && (fields?.matches(activity) ?? true),
  });
  const { explained, framesOf } = await accounts(trace, options, {
    take: (time) => findings.add(time),
    onRun: (run) => findings.addRun(run),
    isSelected: isRoot,
    onEvent: fields && ((event, { activities }) => fields.take(event, activities.activityOf(event))),
  });
  const { recorded } = explained;
  return explanationJson(findings, recorded, hintsOf(recorded, trace.lostEvents), framesOf);
}

/**
 * Reads both traces to their ends, and says what differs between their activities by more than noise.
 *
 * @throws TraceError if a trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function diffTraces(
  before: Trace,
  after: Trace,
  options: DiffOptions = {},
): Promise<Comparison> {
  const [{ compareTraces }, { comparisonJson }] = await Promise.all([
    import('../view/compare/trace-comparison.ts'),
    import('../view/compare/comparison-json.ts'),
  ]);
  const [left, right] = [await comparedTrace(before, options), await comparedTrace(after, options)];
  return comparisonJson(compareTraces(left, right), left, right);
}

async function comparedTrace(trace: Trace, options: DiffOptions): Promise<ComparedTrace> {
  const { kindTest, TraceKinds } = await import('../view/compare/trace-kinds.ts');
  const kinds = new TraceKinds();
  const { explained, framesOf } = await accounts(trace, options, { take: (time) => kinds.add(time) });
  const isWanted = options.name === undefined ? undefined : kindTest(options.name);
  for (const [key, kind] of kinds.kinds) if (isWanted?.(kind) === false) kinds.kinds.delete(key);
  return { kinds, recorded: explained.recorded, framesOf, durationNs: explained.activities.nowNs };
}

interface ReadOptions extends Pick<AccountOptions, 'take' | 'onRun' | 'isSelected'> {
  readonly onEvent?:
    | ((event: Parameters<ExplainedActivities['add']>[0], explained: ExplainedActivities) => void)
    | undefined;
}

/** Where the time of a trace's activities went. */
async function accounts(
  trace: Trace,
  folders: FrameFolders,
  { onEvent, ...options }: ReadOptions,
): Promise<{ readonly explained: ExplainedActivities; readonly framesOf: FramesOf }> {
  const [{ CpuProfile }, { frameNamesIn }, { ExplainedActivities }] = await Promise.all([
    import('../view/cpu/cpu-profile.ts'),
    import('../view/cpu/frame-folders.ts'),
    import('../view/explain/explained-activities.ts'),
  ]);
  const frames = frameNamesIn(folders);
  const profile = new CpuProfile(frames);
  const explained = new ExplainedActivities({ ...options, profile, frames });
  for await (const batch of trace.batches()) {
    for (const event of batch) {
      explained.add(event);
      onEvent?.(event, explained);
    }
  }
  explained.end();
  return { explained, framesOf: (stack) => profile.framesOf(stack, trace.mappings) };
}
