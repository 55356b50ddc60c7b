/** `tracewright diff BEFORE AFTER`: says what differs between two traces by more than noise. */
import { printable } from '../base/printable.ts';
import { comparisonJson } from '../view/compare/comparison-json.ts';
import { differenceSentences } from '../view/compare/comparison-text.ts';
import {
  type ComparedTrace,
  compareTraces,
  type KindDifference,
  type TraceComparison,
} from '../view/compare/trace-comparison.ts';
import { type Kind, kindTest, TraceKinds } from '../view/compare/trace-kinds.ts';
import { countText, milliseconds, thousands } from '../view/number-text.ts';
import { FILE, text } from './argument-values.ts';
import { CommandLine } from './command-line.ts';
import { say, warn } from './messages.ts';
import { Output } from './output.ts';
import { flag, type OptionValues } from './parse-options.ts';
import { styled } from './terminal/terminal.ts';
import { type Cell, type TableColumn, TerminalTable } from './terminal/terminal-table.ts';
import { explainTrace } from './trace/explained-trace.ts';
import { FRAME_OPTIONS } from './trace/frame-options.ts';
import { TRACE_HELP, TRACE_OPTIONS } from './trace/trace-argument.ts';
import { filesText, type TraceFiles } from './trace/trace-files.ts';

/** What reading a trace to compare needs. */
export const COMPARED_OPTIONS = { ...FRAME_OPTIONS, ...TRACE_OPTIONS } as const;

export const commandLine = new CommandLine('diff', '[OPTION]... BEFORE AFTER', [
  `Says what differs between two traces by more than noise: which activities became slower, by which state, call and
  function, more frequent, or fail more often; and which are new. "No difference beyond noise" means that two recordings
  of one program often differ by as much. ${TRACE_HELP.replace('FILE', 'Each')}`,
  {
    name: text('NAME', 'the name of activities').option(`compares only activities with this name or route
        (Request, GET /cart, GET /api/*)`),
    before: FILE.repeated('a further trace of the run that BEFORE is of'),
    after: FILE.repeated('a further trace of the run that AFTER is of'),
  },
  COMPARED_OPTIONS,
  { json: flag('one JSON object, which docs/explain.md describes') },
]);

const MAX_ROWS = 30;
const MAX_ONLY = 10;

const COLUMNS: readonly TableColumn[] = [
  { title: 'Activity', cut: 'end' },
  { title: 'COUNT', align: 'right', dropOrder: 2 },
  { title: 'COUNT 2', align: 'right', dropOrder: 2 },
  { title: 'P50_MSEC', align: 'right' },
  { title: 'P50_MSEC 2', align: 'right' },
  { title: 'P95_MSEC', align: 'right', dropOrder: 1 },
  { title: 'P95_MSEC 2', align: 'right', dropOrder: 1 },
  { title: 'CHANGE' },
];

/** @throws UsageError, TraceError, InterruptedError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args);
  if (given === undefined) return;
  const { values } = given;
  const [first, second, ...others] = given.files;
  if (first === undefined || second === undefined || others.length > 0) {
    throw commandLine.error('diff takes two files, BEFORE and AFTER.');
  }
  const before = await comparedTrace([first, ...(values.before ?? [])], values, values.name);
  const after = await comparedTrace([second, ...(values.after ?? [])], values, values.name);
  const comparison = compareTraces(before, after);
  const output = new Output();
  if (values.json === true) output.json(comparisonJson(comparison, before, after));
  else print(comparison, before, after, output);
  await output.flush();
}

/**
 * Reads a trace completely: what is missing at its end would be a difference.
 *
 * @param name that of the activities to compare; by default, all are
 * @throws UsageError, TraceError, InterruptedError, and an error if there is nothing to compare
 */
export async function comparedTrace(
  files: TraceFiles,
  values: OptionValues<typeof COMPARED_OPTIONS>,
  name?: string,
): Promise<ComparedTrace> {
  const kinds = new TraceKinds();
  const { explained, framesOf, durationNs, failure } = await explainTrace(files, values, {
    take: (time) => kinds.add(time),
  });
  if (failure !== undefined) throw failure;
  if (kinds.kinds.size === 0) {
    throw new Error(
      `${filesText(files)} has no activities to compare: nothing in it starts and stops with an activity id.`,
    );
  }
  if (name !== undefined) {
    const isWanted = kindTest(name);
    for (const [key, kind] of kinds.kinds) if (!isWanted(kind)) kinds.kinds.delete(key);
  }
  return { kinds, recorded: explained.recorded, framesOf, durationNs };
}

function print(
  comparison: TraceComparison,
  before: ComparedTrace,
  after: ComparedTrace,
  output: Output,
): void {
  const { different, onlyBefore, onlyAfter, comparisons, hasStates } = comparison;
  for (const kind of different) {
    for (const sentence of differenceSentences(kind)) output.styledLine(styled(printable(sentence), 'bold'));
  }
  if (different.length === 0) {
    output.styledLine(
      styled(`No difference beyond noise, in ${countText(comparisons, 'comparison')}.`, 'bold'),
    );
  }
  printOnly('AFTER', onlyAfter, output);
  printOnly('BEFORE', onlyBefore, output);
  output.line('');
  printTable(different, before, after, output);
  if (!hasStates) {
    say('States are not compared: only one of the traces says what the threads of Node.js ran.');
  }
  for (const [name, { recorded }] of [
    ['BEFORE', before],
    ['AFTER', after],
  ] as const) {
    if (recorded.losses > 0)
      warn(`${name} lacks events about what threads ran: their states are less certain.`);
  }
}

function printOnly(name: string, kinds: readonly Kind[], output: Output): void {
  if (kinds.length === 0) return;
  const shown = kinds.slice(0, MAX_ONLY).map(({ label, count }) => `${label} (${thousands(count)})`);
  const more = kinds.length > MAX_ONLY ? ` and ${thousands(kinds.length - MAX_ONLY)} others` : '';
  output.line(`Only in ${name}, but too rare or clustered to exclude chance: ${shown.join(', ')}${more}.`);
}

function printTable(
  different: readonly KindDifference[],
  before: ComparedTrace,
  after: ComparedTrace,
  output: Output,
): void {
  const totalOf = (key: string) =>
    Math.max(before.kinds.kinds.get(key)?.totalNs ?? 0, after.kinds.kinds.get(key)?.totalNs ?? 0);
  const keys = [...new Set([...before.kinds.kinds.keys(), ...after.kinds.kinds.keys()])];
  keys.sort((a, b) => totalOf(b) - totalOf(a));
  const table = new TerminalTable(COLUMNS, output);
  for (const key of keys.slice(0, MAX_ROWS)) {
    const [left, right] = [before.kinds.kinds.get(key), after.kinds.kinds.get(key)];
    const sides = [left, right];
    const cells = (text: (kind: Kind) => string): Cell[] =>
      sides.map((kind) => (kind === undefined ? '' : text(kind)));
    table.row([
      printable((right ?? left)?.label ?? ''),
      ...cells(({ count }) => thousands(count)),
      ...cells(({ durations }) => milliseconds(durations.at(0.5) ?? 0)),
      ...cells(({ durations }) => milliseconds(durations.at(0.95) ?? 0)),
      changeCell(different.find((kind) => kind.before === left && kind.after === right)),
    ]);
  }
  table.end();
  if (keys.length > MAX_ROWS) output.line(`${thousands(keys.length - MAX_ROWS)} others are in --json.`);
}

function changeCell(kind: KindDifference | undefined): Cell {
  if (kind === undefined) return ['noise', 'dim'];
  if (kind.before === undefined) return ['new', 'yellow'];
  if (kind.after === undefined) return ['gone', 'yellow'];
  const [{ before, after, measure }] = kind.differences as [KindDifference['differences'][number]];
  const percent = before === 0 ? '' : ` ${Math.round((100 * (after - before)) / before)} %`;
  return [
    `${measure}${percent === '' || after < before ? percent : percent.replace(' ', ' +')}`,
    after > before ? 'red' : 'green',
  ];
}
