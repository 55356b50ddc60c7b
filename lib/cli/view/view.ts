/** `tracewright view FILE`: shows the activities of a trace as a tree, a table, or statistics. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { ActivityFields } from '../../view/activity-fields.ts';
import { ActivityStats, SelectedStats } from '../../view/activity-stats.ts';
import { ActivityTree, nodesOf } from '../../view/activity-tree.ts';
import { countText, thousands } from '../../view/number-text.ts';
import type { TraceActivities } from '../../view/trace-activities.ts';
import { text } from '../argument-values.ts';
import { CommandLine } from '../command-line.ts';
import { untilInterrupted } from '../interruption.ts';
import { warn } from '../messages.ts';
import { Output } from '../output.ts';
import { flag, type OptionRows, type OptionValues, UsageError } from '../parse-options.ts';
import { listed } from '../trace/filtered-events.ts';
import { FRAME_OPTIONS, frameNames } from '../trace/frame-options.ts';
import { readWithProgress, TRACE_OPTIONS } from '../trace/trace-argument.ts';
import {
  closeTraceFiles,
  FILES_HELP,
  filesText,
  NEWEST_HELP,
  newestRecording,
  openTraceFiles,
  type TraceFiles,
} from '../trace/trace-files.ts';
import { CpuView } from './view-cpu.ts';
import { METRIC, MetricView } from './view-metric.ts';
import { SELECTION_OPTIONS, type Selection, selection } from './view-selection.ts';
import { CpuStats, printStats } from './view-stats.ts';
import { EventsTable } from './view-table.ts';
import { MARKS_HELP, printTree } from './view-tree.ts';

const MODES = {
  table: flag('the events, with their activities and, for stops, the durations'),
  stats: flag('durations and failures by activity name; percentiles are accurate to 0.4 %'),
  cpu: flag(`where the CPU time went: the activities as a tree, the functions, and the calls as a tree; with
      --name or --activity, only in these activities`),
  metric: METRIC.option(`by activity: how often the event E happened, or the sum of its field F. An event
      without an activity belongs to the one that its thread ran at that time`),
} as const satisfies OptionRows;

const OPTIONS = {
  ...SELECTION_OPTIONS,
  by: text('FIELD', 'the name of a field').option(`for --stats: also by the values of a field, which an
      activity has as for --where`),
  ...FRAME_OPTIONS,
  ...TRACE_OPTIONS,
  json: flag('one JSON object per line'),
} as const satisfies OptionRows;

export const commandLine = new CommandLine('view', '[OPTION]... [FILE]...', [
  `Shows the activities of FILE, everything that starts and stops with an activity id, as a tree of what started what.`,
  `${FILES_HELP} ${NEWEST_HELP}`,
  'Instead of the tree:',
  MODES,
  'Which activities, and how:',
  OPTIONS,
  'A tree also shows what is in the selected activities; --stats counts it only for --activity.',
  MARKS_HELP,
]);

/** A larger tree would not fit into memory everywhere, and nobody would read it. */
const MAX_ACTIVITIES = 200_000;

type Mode = 'tree' | keyof typeof MODES;
type Values = OptionValues<typeof MODES & typeof OPTIONS>;

/** @throws UsageError, TraceError, InterruptedError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args, newestRecording);
  if (given === undefined) return;
  const { files, values } = given;
  const modes = (Object.keys(MODES) as (keyof typeof MODES)[]).filter((mode) => values[mode] !== undefined);
  if (modes.length > 1) throw new UsageError(`--${modes.join(' and --')} exclude each other.`);
  const [mode = 'tree'] = modes;
  if (values.by !== undefined && (mode !== 'stats' || values.slowest !== undefined)) {
    throw new UsageError('--by needs --stats, without --slowest.');
  }
  const output = new Output();
  try {
    await VIEWS[mode](files, values, output);
  } finally {
    await output.flush();
  }
}

const VIEWS: Readonly<Record<Mode, (files: TraceFiles, values: Values, output: Output) => Promise<void>>> = {
  tree: viewTree,
  table: viewTable,
  stats: viewStats,
  cpu: viewCpu,
  metric: viewMetric,
};

async function viewTree(files: TraceFiles, values: Values, output: Output): Promise<void> {
  const selected = selection(values);
  const tree = treeOf(selected, values.json);
  const failure = await readEvents(files, values, (event) => tree.add(event));
  await printTree(tree, output, values.json === true);
  finish(failure, files, selected, tree);
}

async function viewTable(files: TraceFiles, values: Values, output: Output): Promise<void> {
  if (values.name !== undefined || values.slowest !== undefined) {
    throw new UsageError('--table takes --activity, but neither --name nor --slowest.');
  }
  const table = new EventsTable(selection(values), output, values.json === true);
  const failure = await readEvents(
    files,
    values,
    (event) => table.add(event),
    () => output.flush(),
  );
  table.end();
  if (failure !== undefined) throw failure;
}

async function viewStats(files: TraceFiles, values: Values, output: Output): Promise<void> {
  const selected = selection(values);
  const result = await readStats(files, values, selected);
  printStats(result.stats, output, values.by, values.json === true);
  finish(result.failure, files, selected, result, values.by);
}

async function viewCpu(files: TraceFiles, values: Values, output: Output): Promise<void> {
  await viewCharged(files, values, output, (selected) => new CpuView(selected, frameNames(values)));
}

async function viewMetric(files: TraceFiles, values: Values, output: Output): Promise<void> {
  const { metric } = values;
  if (metric !== undefined)
    await viewCharged(files, values, output, (selected) => new MetricView(metric, selected));
}

/** What is charged to activities: whether one is selected must be known at its start. */
async function viewCharged(
  files: TraceFiles,
  values: Values,
  output: Output,
  viewOf: (selected: Selection) => CpuView | MetricView,
): Promise<void> {
  if (values.slowest !== undefined || values.where !== undefined || values.failed === true) {
    throw new UsageError('--cpu and --metric take none of --slowest, --where and --failed.');
  }
  const view = viewOf(selection(values));
  const failure = await readEvents(
    files,
    values,
    (event) => view.add(event),
    undefined,
    (opened) => {
      view.trace = opened;
    },
  );
  view.print(output, values.json === true);
  if (failure !== undefined) throw failure;
  view.finish(filesText(files));
}

async function readStats(files: TraceFiles, values: Values, selected: Selection) {
  const reader = statsReader(selected, values.by);
  const cpu =
    reader instanceof SelectedStats && reader.fields !== undefined ? new CpuStats(reader) : undefined;
  const failure = await readEvents(files, values, (event) => (cpu ?? reader).add(event));
  cpu?.end();
  const { stats, activities, isCut, fields } = reader;
  return { roots: stats.names, activities, isCut, fields, stats, failure };
}

/** What was read. */
interface Result {
  readonly roots: readonly unknown[];
  readonly activities: TraceActivities;
  readonly isCut?: boolean | undefined;
  readonly fields: ActivityFields | undefined;
}

interface StatsReader extends Omit<Result, 'roots'> {
  readonly stats: ActivityStats;
  add(event: TraceEvent): void;
}

/** The slowest activities are only known at the end: until then, a tree keeps them. */
function statsReader(selected: Selection, by?: string): StatsReader {
  if (selected.slowest === undefined) return new SelectedStats({ ...selected, by });
  const tree = treeOf(selected);
  return {
    activities: tree.activities,
    fields: tree.fields,
    get isCut() {
      return tree.isCut;
    },
    get stats() {
      return statsOf(tree, selected);
    },
    add: (event) => tree.add(event),
  };
}

function treeOf({ isRoot, slowest, where, isFailed }: Selection, keepsPayloads = false): ActivityTree {
  return new ActivityTree({ isRoot, slowest, where, isFailed, limit: MAX_ACTIVITIES, keepsPayloads });
}

function statsOf(tree: ActivityTree, { isInsideCounted }: Selection): ActivityStats {
  const stats = new ActivityStats();
  for (const root of tree.roots) {
    for (const { activity } of isInsideCounted ? nodesOf(root) : [root]) stats.addActivity(activity);
  }
  return stats;
}

/**
 * Reads all events; returns the error that ends them early, to be thrown once what was read has been shown.
 *
 * @param show what each batch adds to the output, if that can be shown at once
 */
async function readEvents(
  files: TraceFiles,
  values: Values,
  take: (event: TraceEvent) => void,
  show?: () => Promise<void>,
  opened?: (trace: Trace) => void,
): Promise<unknown> {
  const trace = await openTraceFiles(files, values);
  opened?.(trace);
  const close = () => closeTraceFiles(files, trace);
  try {
    for await (const batch of untilInterrupted(
      readWithProgress(trace, { isShownMeanwhile: show !== undefined }),
      close,
    )) {
      for (const event of batch) take(event);
      await show?.();
    }
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Says what the output does not: why it ends early, or why there is nothing. */
function finish(
  failure: unknown,
  files: TraceFiles,
  { wanted, where, isFailed, otherNames }: Selection,
  { roots, activities, isCut, fields }: Result,
  by?: string,
): void {
  if (failure !== undefined) throw failure;
  if (isCut) {
    const count = thousands(MAX_ACTIVITIES);
    warn(
      `Only the first ${count} activities are shown: select others with --activity, --name and --slowest.`,
    );
  }
  if (by !== undefined && fields?.asked.get(by)?.size === 0) {
    warn(
      `No activity of ${filesText(files)} has the field ${by}.${othersText('Their fields', fields.others)}`,
    );
  }
  if (roots.length > 0) return;
  if (wanted !== undefined || where !== undefined || isFailed) {
    const conditions = Object.entries(where ?? {});
    const of = conditions.map(([name, value]) => ` with ${name}=${value}`).join(' and');
    const others = conditions.map(([name]) => {
      const values = fields?.asked.get(name);
      return values?.size === 0
        ? othersText('Its fields', fields?.others)
        : othersText(`The values of ${name}`, values);
    });
    throw new Error(
      `${filesText(files)} has no ${isFailed ? 'failed ' : ''}activity${wanted === undefined ? '' : ` ${wanted}`}${of}.` +
        `${othersText('Its activities', otherNames)}${others.join('')}`,
    );
  }
  warn(`${filesText(files)} has no activities: nothing in it starts or stops with an activity id.`);
  if (activities.startsWithoutId > 0) {
    const starts = countText(activities.startsWithoutId, 'start');
    warn(
      `${starts} without an id. In .NET, ids need System.Threading.Tasks.TplEventSource with keyword 0x80.`,
    );
  }
}

function othersText(what: string, names: ReadonlySet<string> = new Set()): string {
  return names.size === 0 ? '' : ` ${what} are ${listed(names)}.`;
}
