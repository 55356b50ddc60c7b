/** `tracewright sessions`: who records on this machine, and what. */
import type { OverviewEnabling, OverviewSession, TraceOverview } from '../../record/trace-overview.ts';
import { thousands } from '../../view/number-text.ts';
import { CommandLine } from '../command-line.ts';
import { say } from '../messages.ts';
import { Output } from '../output.ts';
import { flag } from '../parse-options.ts';
import type { TableColumn } from '../terminal/terminal-table.ts';
import {
  asJson,
  keywordsText,
  levelText,
  lostText,
  matching,
  printTable,
  processText,
  readOverview,
} from './overview.ts';

export const commandLine = new CommandLine('sessions', '[OPTION]... [NAME]', [
  `Lists the tracing sessions of this machine, whoever started them: those of ETW, or on Linux trace instances and users
  of perf events. For a session, NAME lists the providers that it has enabled; * in it stands for any text.`,
  { json: flag('one JSON object per line, with the providers') },
]);

const COLUMNS: readonly TableColumn[] = [
  { title: 'NUMBER', align: 'right', dropOrder: 1 },
  { title: 'SESSION' },
  { title: 'PROCESS' },
  { title: 'MODE', dropOrder: 3 },
  { title: 'BUFFERS', align: 'right', dropOrder: 2 },
  { title: 'LOST', align: 'right' },
  { title: 'PROVIDERS', align: 'right' },
  { title: 'FILE', cut: 'start' },
];
const ENABLED_COLUMNS: readonly TableColumn[] = [
  { title: 'PROVIDER' },
  { title: 'TRACEPOINT' },
  { title: 'GUID', dropOrder: 1 },
  { title: 'LEVEL', align: 'right' },
  { title: 'KEYWORDS' },
  { title: 'WITH' },
];

/** What a session has enabled. */
interface Enabled extends OverviewEnabling {
  readonly provider: string;
  readonly guid: string | undefined;
}

/** @throws UsageError, RecorderError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.optionalName(args);
  if (given === undefined) return;
  const { name: pattern = '*', values } = given;
  const overview = readOverview('*');
  const sessions = matching(overview.sessions, pattern);
  const output = new Output();
  if (values.json === true) {
    for (const session of sessions) {
      const providers = enabledIn(overview, session).map(({ session: _, ...one }) => one);
      output.json(asJson({ ...session, providers }));
    }
  } else {
    printTable(
      output,
      COLUMNS,
      sessions.map((session) => rowOf(session, enabledIn(overview, session))),
    );
    const [only] = sessions;
    const enabled = only && sessions.length === 1 ? enabledIn(overview, only) : [];
    if (enabled.length > 0) {
      output.line('');
      printTable(output, ENABLED_COLUMNS, enabled.map(enabledRow));
    }
  }
  await output.flush();
  if (sessions.length === 0) {
    say(
      pattern === '*' ? 'There are no sessions that this user can see.' : `There is no session ${pattern}.`,
    );
  }
  for (const note of overview.sessionNotes) say(note);
}

function enabledIn({ providers }: TraceOverview, { name: of }: OverviewSession): Enabled[] {
  return providers.flatMap(({ name, guid, enabledBy }) =>
    enabledBy.filter(({ session }) => session === of).map((one) => ({ ...one, provider: name, guid })),
  );
}

function rowOf(session: OverviewSession, enabled: readonly Enabled[]): string[] {
  const { name, number, process, mode, file = '', buffers, bufferKiB, lostEvents, lostBuffers } = session;
  const isKnown = lostEvents !== undefined;
  return [
    number === undefined ? '' : String(number),
    name,
    process === undefined ? '' : processText(process),
    mode.join(', '),
    buffers === undefined ? '' : `${buffers} x ${thousands(bufferKiB ?? 0)} KiB`,
    isKnown ? lostText(lostEvents, lostBuffers) : '',
    isKnown ? String(new Set(enabled.map(({ provider }) => provider)).size) : '',
    file,
  ];
}

function enabledRow(one: Enabled): string[] {
  const { provider, tracepoint = '', guid = '', hasStacks = false } = one;
  return [
    provider,
    tracepoint,
    guid === provider ? '' : guid,
    levelText(one),
    keywordsText(one),
    hasStacks ? 'stacks' : '',
  ];
}
