/** CPU samples by function and as a call tree, for `tracewright view FILE --cpu`. */
import type { CallNode, CpuCosts } from '../view/cpu/cpu-profile.ts';
import { countText, thousands } from '../view/number-text.ts';
import type { Output } from './output.ts';
import { type TableColumn, TerminalTable } from './terminal-table.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'TOTAL', align: 'right', dropOrder: 1 },
  { title: 'TOTAL_%', align: 'right' },
  { title: 'SELF', align: 'right', dropOrder: 2 },
  { title: 'SELF_%', align: 'right' },
  { title: 'Function', cut: 'end' },
  { title: 'Module', cut: 'start', dropOrder: 0 },
];
const MAX_FUNCTIONS = 30;
/** Calls with a smaller share are not shown. */
const MIN_SHARE = 0.01;
const INDENT = ' ';
const MAX_INDENTS = 40;

interface Cost {
  readonly frame: CallNode['frame'];
  readonly total: number;
  readonly self: number;
}

export function printFunctions(
  { samples, roots, functions }: CpuCosts,
  output: Output,
  isJson: boolean,
): void {
  if (isJson) {
    for (const { frame, total, self } of functions) output.json({ ...frame, total, self });
    return;
  }
  if (samples === 0) return;
  output.line(countText(samples, 'CPU sample'));
  const top = new TerminalTable(COLUMNS, output);
  for (const cost of functions.slice(0, MAX_FUNCTIONS)) top.row(cells(cost, samples, 0));
  top.end();
  output.line('');
  const tree = new TerminalTable(COLUMNS, output);
  for (const { node, depth } of nodesOf(roots, samples * MIN_SHARE)) tree.row(cells(node, samples, depth));
  tree.end();
}

function* nodesOf(roots: readonly CallNode[], least: number): Generator<{ node: CallNode; depth: number }> {
  const open = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (node.total < least) continue;
    yield next;
    const callees = [...node.callees.values()].sort((a, b) => a.total - b.total);
    for (const callee of callees) open.push({ node: callee, depth: depth + 1 });
  }
}

function cells({ frame, total, self }: Cost, samples: number, depth: number): string[] {
  return [
    thousands(total),
    percent(total, samples),
    self === 0 ? '' : thousands(self),
    self === 0 ? '' : percent(self, samples),
    indented(frame.name, depth),
    frame.module,
  ];
}

export function percent(part: number, whole: number): string {
  return ((part / whole) * 100).toFixed(1);
}

/** @param depth in a tree */
export function indented(name: string, depth: number): string {
  return depth > MAX_INDENTS
    ? `${INDENT.repeat(MAX_INDENTS)}[${depth}] ${name}`
    : INDENT.repeat(depth) + name;
}
