/** The command line of a command that takes one file and switches. */
import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

export interface FileArguments {
  readonly file: string;
  /** The switches that were given. */
  readonly switches: ReadonlySet<string>;
}

/**
 * @param usage printed for `--help`
 * @param switches those that the command has, without `--`
 * @returns undefined when help was asked for, and has been given
 * @throws UsageError
 */
export function fileArguments(
  command: string,
  usage: string,
  args: readonly string[],
  switches: readonly string[] = [],
): FileArguments | undefined {
  const { values, positionals } = parse(args, switches);
  if (values.help === true) {
    process.stdout.write(usage);
    return undefined;
  }
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    throw new UsageError(`${command} takes one file.\n\n${usage.trimEnd()}`);
  }
  return { file, switches: new Set(Object.keys(values)) };
}

function parse(args: readonly string[], switches: readonly string[]) {
  const options = Object.fromEntries(switches.map((name) => [name, { type: 'boolean' as const }]));
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
