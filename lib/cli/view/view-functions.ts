/** CPU samples by function and as a call tree, for `tracewright view FILE --cpu`. */
import { printable } from '../../base/printable.ts';
import type { CallNode, CpuCosts } from '../../view/cpu/cpu-profile.ts';
import { isOfTracer } from '../../view/cpu/frame-names.ts';
import { countText, thousands } from '../../view/number-text.ts';
import type { Output } from '../output.ts';
import { type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';

/** Samples on the thread, but not on a processor. */
const OFF = 'OFF_CPU';
const COLUMNS: readonly TableColumn[] = [
  { title: 'TOTAL', align: 'right', dropOrder: 1 },
  { title: 'TOTAL_%', align: 'right' },
  { title: 'SELF', align: 'right', dropOrder: 2 },
  { title: 'SELF_%', align: 'right' },
  { title: OFF, align: 'right', dropOrder: 3 },
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
  readonly off: number;
}

/** @param counted what perf counted, if that is to be said */
export function printFunctions(
  { samples, onCpu, ofTracer, roots, functions }: CpuCosts,
  counted: string | undefined,
  output: Output,
  isJson: boolean,
): void {
  if (isJson) {
    for (const { frame, total, self, off } of functions) {
      const { name, module } = frame;
      output.json({ counted, name, module, isOfTracer: isOfTracer(frame) || undefined, total, self, off });
    }
    return;
  }
  if (samples === 0) return;
  const off = samples - onCpu;
  const isOff = off >= 0.5;
  const waited = isOff ? `, of which ${thousands(Math.round(off))} were on no processor` : '';
  const of = counted === undefined ? '' : ` of ${printable(counted)}`;
  const own =
    ofTracer < 0.5
      ? ''
      : `; ${thousands(Math.round(ofTracer))} (${percent(ofTracer, onCpu)} %) in tracewright itself`;
  output.line(`${countText(samples, 'CPU sample')}${of}${waited}${own}`);
  const columns = COLUMNS.filter(({ title }) => isOff || title !== OFF);
  const row = (cost: Cost, depth: number): string[] =>
    cells(cost, onCpu, depth).filter((_, index) => isOff || COLUMNS[index]?.title !== OFF);
  const top = new TerminalTable(columns, output);
  for (const cost of functions.slice(0, MAX_FUNCTIONS)) top.row(row(cost, 0));
  top.end();
  output.line('');
  const tree = new TerminalTable(columns, output);
  for (const { node, depth } of nodesOf(roots, samples * MIN_SHARE)) tree.row(row(node, depth));
  tree.end();
}

function* nodesOf(roots: readonly CallNode[], least: number): Generator<{ node: CallNode; depth: number }> {
  const open = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (node.total + node.off < least) continue;
    yield next;
    const callees = [...node.callees.values()].sort((a, b) => a.total - b.total);
    for (const callee of callees) open.push({ node: callee, depth: depth + 1 });
  }
}

function cells({ frame, total, self, off }: Cost, onCpu: number, depth: number): string[] {
  const rounded = (count: number) => thousands(Math.round(count));
  return [
    rounded(total),
    percent(total, onCpu),
    self === 0 ? '' : rounded(self),
    self === 0 ? '' : percent(self, onCpu),
    off < 0.5 ? '' : rounded(off),
    indented(frame.name, depth),
    frame.module,
  ];
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '0.0' : ((part / whole) * 100).toFixed(1);
}

/** @param depth in a tree */
export function indented(name: string, depth: number): string {
  return depth > MAX_INDENTS
    ? `${INDENT.repeat(MAX_INDENTS)}[${depth}] ${name}`
    : INDENT.repeat(depth) + name;
}
