#!/usr/bin/env node
/**
 * The `tracewright` command. Data goes to stdout, all else to stderr; exit status 0, 1 when something failed,
 * 2 when the command was not understood.
 */
import { collectCommand } from './collect.ts';
import { countersCommand } from './counters.ts';
import { dumpCommand } from './dump.ts';
import { exportCommand } from './export.ts';
import { liveCommand } from './live.ts';
import { manifestCommand } from './manifest.ts';
import { psCommand } from './ps.ts';
import { recordCommand } from './record.ts';
import { reportCommand } from './report.ts';
import { statsCommand } from './stats.ts';
import { UsageError } from './usage-error.ts';
import { viewCommand } from './view.ts';

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  collect: collectCommand,
  counters: countersCommand,
  dump: dumpCommand,
  export: exportCommand,
  live: liveCommand,
  manifest: manifestCommand,
  ps: psCommand,
  record: recordCommand,
  report: reportCommand,
  stats: statsCommand,
  view: viewCommand,
};

const USAGE = `Usage: tracewright COMMAND

  collect         records the events of a process of tracewright or of .NET
  counters        shows the counters of a process of tracewright or of .NET
  dump FILE       prints the events of a trace
  export FILE     writes a trace for Perfetto, speedscope, spreadsheets or as nettrace
  live            shows the system's user events while they are written (Linux)
  manifest FILE   prints the ETW manifests of the event sources that a module defines
  ps              lists the processes that can be asked for events and counters
  record          records the system's user events (Linux)
  report FILE     writes a trace as one HTML file, to look at in a browser
  stats FILE      counts the events of a trace
  view FILE       shows the activities of a trace as a tree, a table or in numbers

"tracewright COMMAND --help" says more.
`;

async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    process.stdout.write(USAGE);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`There is no command "${name}".\n\n${USAGE.trimEnd()}`);
    await command(args);
    return 0;
  } catch (error) {
    process.stderr.write(`tracewright: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

// Whoever reads the output may stop before its end, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
process.exitCode = await main(process.argv.slice(2));
