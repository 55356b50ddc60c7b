#!/usr/bin/env node
import { packageVersion } from '../base/package-files.ts';
/**
 * The `tracewright` command. Data goes to stdout, everything else to stderr; the exit status is 0, 1 if something
 * failed, or 2 for a usage error; of `record -- COMMAND` and its like, it is that of COMMAND.
 */
import { COMMANDS, commandOf, type Run } from './commands.ts';
import { failOnOutput, printHelp, say, sentenceOf, warn } from './messages.ts';
import { UsageError } from './parse-options.ts';

const NAME_WIDTH = 14;

function usage(): string {
  const line = (name: string, summary: string) => `  ${name.padEnd(NAME_WIDTH)}  ${summary}`;
  return [
    'Usage: tracewright COMMAND',
    '',
    ...Object.entries(COMMANDS).map(([name, { takes, summary }]) => line(`${name} ${takes}`, summary)),
    line('completion', 'prints a completion script for bash, zsh or fish'),
    line('help COMMAND', 'shows help for a command, like "tracewright COMMAND --help"'),
    '',
    '"tracewright --version" prints the version.',
    '',
  ].join('\n');
}

async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  try {
    const run = await runOf(name);
    const status = await run(args);
    return typeof status === 'number' ? status : 0;
  } catch (error) {
    if (error instanceof UsageError) {
      // The message may include the usage.
      say(`tracewright: ${error.message}`);
      return 2;
    }
    warn(sentenceOf(error));
    return 1;
  }
}

/** @throws UsageError if there is no such command */
async function runOf(name: string): Promise<Run> {
  switch (name) {
    case '--help':
    case '-h':
    case 'help':
      return help;
    case '--version':
    case '-v':
      return async () => printHelp(`${packageVersion()}\n`);
    case 'completion':
      return (await import('./completion.ts')).run;
    default: {
      const command = commandOf(name);
      if (command === undefined) throw noCommand(name);
      return (await command.load()).run;
    }
  }
}

/** @throws UsageError */
async function help([name, ...others]: readonly string[]): Promise<void> {
  if (others.length > 0) throw new UsageError('help takes one command.');
  if (name === undefined || name === 'help') return printHelp(usage());
  if (name === 'completion') return printHelp((await import('./completion.ts')).commandLine.help());
  const command = commandOf(name);
  if (command === undefined) throw noCommand(name);
  printHelp((await command.load()).commandLine.help());
}

function noCommand(name: string): UsageError {
  return new UsageError(`There is no command "${name}".\n\n${usage().trimEnd()}`);
}

// The reader of the output may stop before its end, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  failOnOutput(error);
});
// A closed terminal accepts no messages; that must not prevent a recording from finishing.
process.stderr.on('error', () => {});
main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
