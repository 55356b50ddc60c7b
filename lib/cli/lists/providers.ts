/** `tracewright providers`: who can be recorded on this machine, and which sessions have enabled whom. */
import type { OverviewEnabling, OverviewProvider } from '../../record/trace-overview.ts';
import { CommandLine } from '../command-line.ts';
import { say } from '../messages.ts';
import { Output } from '../output.ts';
import { flag } from '../parse-options.ts';
import type { TableColumn } from '../terminal/terminal-table.ts';
import {
  asJson,
  keywordsText,
  levelText,
  matching,
  printTable,
  processText,
  readOverview,
} from './overview.ts';

export const commandLine = new CommandLine('providers', '[OPTION]... [NAME|GUID]', [
  `Lists the providers of this machine: on Windows those of ETW that are registered or running, with the processes that
  run them; on Linux the tracepoints of user_events by provider. For each, the sessions that have enabled it. If NAME or
  GUID is that of one provider, its processes and sessions are listed in full; * in it stands for any text.`,
  { json: flag('one JSON object per line') },
]);

const COLUMNS: readonly TableColumn[] = [
  { title: 'PROVIDER' },
  { title: 'GUID', dropOrder: 1 },
  { title: 'SOURCE', dropOrder: 2 },
  { title: 'TRACEPOINTS', align: 'right' },
  { title: 'PROCESSES' },
  { title: 'ENABLED BY', cut: 'end' },
];
const SESSION_COLUMNS: readonly TableColumn[] = [
  { title: 'ENABLED BY' },
  { title: 'TRACEPOINT' },
  { title: 'LEVEL', align: 'right' },
  { title: 'KEYWORDS' },
  { title: 'WITH' },
];
/** More are counted. */
const MAX_PROCESSES = 2;

/** @throws UsageError, RecorderError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.optionalName(args);
  if (given === undefined) return;
  const { name: pattern = '*', values } = given;
  const overview = readOverview(pattern);
  const providers = matching(overview.providers, pattern);
  const output = new Output();
  if (values.json === true) {
    for (const provider of providers) output.json(asJson(provider));
  } else {
    printTable(output, COLUMNS, providers.map(rowOf));
    const [only] = providers;
    if (only !== undefined && providers.length === 1) printDetails(output, only);
  }
  await output.flush();
  if (providers.length === 0) {
    say(pattern === '*' ? 'There are no providers.' : `There is no provider ${pattern}.`);
  }
  for (const note of overview.providerNotes) say(note);
}

function rowOf({
  name,
  guid = '',
  source = '',
  tracepoints,
  processes = [],
  enabledBy,
}: OverviewProvider): string[] {
  return [
    name,
    guid === name ? '' : guid,
    source,
    tracepoints === undefined ? '' : String(tracepoints.length),
    processes.length > MAX_PROCESSES
      ? `${processes.length} processes`
      : processes.map(processText).join(', '),
    sessionsText(enabledBy),
  ];
}

/** `tracewright (level 5, keywords 0x2)`; of several tracepoints in one session `perf (3)`. */
function sessionsText(enabledBy: readonly OverviewEnabling[]): string {
  const sessions = new Set(enabledBy.map(({ session }) => session));
  return Array.from(sessions, (session) => {
    const all = enabledBy.filter((one) => one.session === session);
    const [only] = all;
    if (only === undefined || only.tracepoint !== undefined) return `${session} (${all.length})`;
    const keywords = keywordsText(only);
    const filters = [
      ...(levelText(only) === 'all' ? [] : [`level ${only.level}`]),
      ...(keywords === 'all' ? [] : [`keywords ${keywords}`]),
    ];
    return filters.length === 0 ? session : `${session} (${filters.join(', ')})`;
  }).join(', ');
}

function printDetails(
  output: Output,
  { processes = [], enabledBy, tracepoints = [] }: OverviewProvider,
): void {
  if (processes.length > MAX_PROCESSES) {
    output.line('');
    printTable(
      output,
      [{ title: 'PID', align: 'right' }, { title: 'PROCESS' }],
      processes.map(({ processId, name = '' }) => [String(processId), name]),
    );
  }
  const enabled = new Set(enabledBy.map(({ tracepoint }) => tracepoint));
  const others = tracepoints.filter((name) => !enabled.has(name));
  const rows = [
    ...enabledBy.map((one) => [
      one.session,
      one.tracepoint ?? '',
      levelText(one),
      keywordsText(one),
      one.hasStacks === true ? 'stacks' : '',
    ]),
    ...others.map((name) => ['', name, '', '', '']),
  ];
  if (rows.length === 0) return;
  output.line('');
  printTable(output, SESSION_COLUMNS, rows);
}
