#!/usr/bin/env node
/**
 * The `tracewright` command. Data goes to stdout, all else to stderr; exit status 0, 1 when something failed,
 * 2 when the command was not understood.
 */
import { UsageError } from './usage-error.ts';

type Command = (args: readonly string[]) => Promise<void>;

/** Loaded when they are called: what one needs does not keep the others waiting. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  collect: async () => (await import('./collect.ts')).collectCommand,
  counters: async () => (await import('./counters.ts')).countersCommand,
  dump: async () => (await import('./dump.ts')).dumpCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  live: async () => (await import('./live.ts')).liveCommand,
  manifest: async () => (await import('./manifest.ts')).manifestCommand,
  ps: async () => (await import('./ps.ts')).psCommand,
  record: async () => (await import('./record.ts')).recordCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  stats: async () => (await import('./stats.ts')).statsCommand,
  view: async () => (await import('./view.ts')).viewCommand,
};

const USAGE = `Usage: tracewright COMMAND

  collect         records the events of a .NET or Node.js process
  counters        shows the counters of a .NET or Node.js process
  dump FILE       prints the events of a trace
  export FILE     writes a trace for Perfetto, speedscope, spreadsheets or as nettrace
  live            shows the system's user events while they are written (Linux)
  manifest FILE   prints the ETW manifests of the event sources that a module defines
  ps              lists the processes that can be asked for events and counters
  record          records the system's events (Linux, Windows)
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
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (load === undefined) throw new UsageError(`There is no command "${name}".\n\n${USAGE.trimEnd()}`);
    const command = await load();
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
