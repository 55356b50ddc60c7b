/** `tracewright view FILE`: activities as a tree. */
import { activityKey } from '../../view/activity-key.ts';
import { type ActivityNode, type ActivityTree, nodesOf } from '../../view/activity-tree.ts';
import { milliseconds } from '../../view/number-text.ts';
import type { TracedActivity } from '../../view/traced-activity.ts';
import type { Output } from '../output.ts';
import type { Style } from '../terminal/terminal.ts';
import { type Cell, type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'Time MSec', align: 'right', dropOrder: 2 },
  { title: 'DURATION_MSEC', align: 'right' },
  { title: 'SELF_MSEC', align: 'right', dropOrder: 1 },
  { title: 'ProcessID', align: 'right', dropOrder: 3 },
  { title: 'Activity Name', cut: 'end' },
];
/** Shown if there are several. */
const PROCESS_COLUMN = COLUMNS.findIndex(({ title }) => title === 'ProcessID');
const INDENT = '  ';
/** Deeper activities show their depth as a number instead of indentation. */
const MAX_INDENTS = 40;

const MARKS: Readonly<Record<TracedActivity['state'], readonly [mark: string, style?: Style]>> = {
  open: ['open ', 'red'],
  stopped: [''],
  killed: ['killed ', 'yellow'],
  unstarted: ['no start', 'yellow'],
};

/** Its stop says so: no other mark says more. */
const FAILED = ['failed ', 'red'] as const;

export const MARKS_HELP = `"failed" is an activity whose stop says so, such as by success=false, errorType or
  statusCode=500: docs/activities.md has the rule. For an activity without a stop, "killed" is the time until an
  enclosing activity stopped, and "open" the time until the trace ends. "no start" is a stop without its start.`;

/** An activity as shown in a tree. */
interface Shown {
  readonly node: ActivityNode;
  readonly depth: number;
  readonly durationNs: number;
}

export async function printTree(tree: ActivityTree, output: Output, isJson: boolean): Promise<void> {
  const processes = new Set<number | undefined>();
  for (const root of tree.roots) for (const { activity } of nodesOf(root)) processes.add(activity.processId);
  const isColumnShown = (_: unknown, index: number) => index !== PROCESS_COLUMN || processes.size > 1;
  const table = new TerminalTable(COLUMNS.filter(isColumnShown), output);
  for (const root of tree.roots) {
    for (const node of nodesOf(root)) {
      const { activity } = node;
      // Not the parent's depth, since the parent may be shown elsewhere.
      const depth = activity.depth - root.activity.depth;
      const shown = { node, depth, durationNs: tree.durationNs(activity) };
      if (isJson) output.json(asJson(shown));
      else table.row(cells(shown).filter(isColumnShown));
      if (output.isFull) await output.flush();
    }
  }
  table.end();
}

function cells({ node: { activity }, depth, durationNs }: Shown): Cell[] {
  const { selfNs } = activity;
  const [mark, style] = activity.isFailed && activity.state === 'stopped' ? FAILED : MARKS[activity.state];
  const duration = activity.state === 'unstarted' ? mark : `${mark}${milliseconds(durationNs)}`;
  const indent = depth <= MAX_INDENTS ? INDENT.repeat(depth) : `${INDENT.repeat(MAX_INDENTS)}[${depth}] `;
  return [
    [milliseconds(activity.startNs), 'dim'],
    style === undefined ? duration : [duration, style],
    selfNs === undefined ? '' : milliseconds(selfNs),
    String(activity.processId ?? ''),
    activity.isFailed ? [`${indent}${activity.label}`, 'red'] : `${indent}${activity.label}`,
  ];
}

/** Times in milliseconds; without a stop, `durationMSec` extends to the end of the trace, see `state`. */
function asJson({ node, depth, durationNs }: Shown): Record<string, unknown> {
  const { activity, payload, stopPayload } = node;
  const { selfNs } = activity;
  const isStarted = activity.state !== 'unstarted';
  return {
    index: isStarted ? activity.index : undefined,
    name: activity.label,
    provider: activity.provider,
    task: activity.task,
    activityId: activity.id,
    activityPath: activityKey(activity.id, activity.processId)?.text,
    ...activity.span,
    parent: activity.parent?.index,
    depth,
    processId: activity.processId,
    startThreadId: activity.startThreadId,
    stopThreadId: activity.stopThreadId,
    state: activity.state,
    isFailed: activity.isFailed || undefined,
    startMSec: isStarted ? activity.startNs / 1e6 : undefined,
    stopMSec: isStarted ? undefined : activity.startNs / 1e6,
    durationMSec: isStarted ? durationNs / 1e6 : undefined,
    selfMSec: selfNs === undefined ? undefined : selfNs / 1e6,
    payload,
    stopPayload,
  };
}
