/** `tracewright ps`: lists the processes that have a diagnostic port. */
import { DiagnosticsClientError } from '../../diagnostics/client/client-error.ts';
import { DiagnosticsClient } from '../../diagnostics/client/diagnostics-client.ts';
import { listPorts } from '../../diagnostics/client/find-port.ts';
import type { DiagnosticPort } from '../../diagnostics/client/port-folder.ts';
import type { ProcessInfo } from '../../wire/diagnostics-ipc/process-info.ts';
import { processName } from '../../wire/diagnostics-ipc/process-info.ts';
import { CommandLine } from '../command-line.ts';
import { say } from '../messages.ts';
import { Output } from '../output.ts';
import { flag } from '../parse-options.ts';
import { type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';

export const commandLine = new CommandLine('ps', '[OPTION]...', [
  `Lists the processes that "tracewright collect" and "counters" can connect to: .NET processes, and Node.js processes
  with tracewright, that have a diagnostic port this user may access.`,
  { json: flag('one JSON object per line') },
]);

/** Processes that do not answer in this time are shown without details. */
const ANSWER_MS = 2000;

const COLUMNS: readonly TableColumn[] = [
  { title: 'PID', align: 'right' },
  { title: 'NAME' },
  { title: 'RUNTIME', dropOrder: 1 },
  { title: 'COMMAND LINE', cut: 'end' },
];

interface PortProcess extends DiagnosticPort {
  readonly info?: ProcessInfo;
  /** Why nothing is known about it. */
  readonly problem?: string;
}

/** @throws UsageError */
export async function run(args: readonly string[]): Promise<void> {
  const values = commandLine.options(args);
  if (values === undefined) return;
  const asked = await Promise.all((await listPorts()).map(ask));
  const processes = asked.filter((one) => one !== undefined);
  const output = new Output();
  if (values.json === true) {
    for (const one of processes) output.json(asJson(one));
  } else {
    const table = new TerminalTable(COLUMNS, output);
    for (const one of processes) table.row(asRow(one));
    table.end();
  }
  await output.flush();
  if (processes.length === 0) say('No process with a diagnostic port was found.');
}

/** @returns undefined if nothing listens: the remains of a process that has exited */
async function ask(port: DiagnosticPort): Promise<PortProcess | undefined> {
  try {
    const client = DiagnosticsClient.at(port.address, port.processId, ANSWER_MS);
    return { ...port, info: await client.processInfo() };
  } catch (error) {
    if (!(error instanceof DiagnosticsClientError)) throw error;
    return error.code === 'ended' ? undefined : { ...port, problem: error.message };
  }
}

function asRow({ processId, info, problem }: PortProcess): string[] {
  if (info === undefined) return [String(processId), '', '', `(${problem})`];
  const { productVersion = '', runtimeIdentifier, operatingSystem, architecture } = info;
  const platform = runtimeIdentifier || `${operatingSystem} ${architecture}`;
  return [String(processId), processName(info), `${productVersion} ${platform}`.trim(), info.commandLine];
}

function asJson({ processId, address, info, problem }: PortProcess) {
  return {
    processId,
    ...(info && { name: processName(info), ...info, processId }),
    address,
    problem,
  };
}
