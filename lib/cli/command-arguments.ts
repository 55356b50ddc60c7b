/** The command line of a command that may run another: OPTIONS [-- COMMAND [ARGUMENT]...]. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

/**
 * @param options as `parseArgs` of node:util takes them
 * @returns the options' values, and the other command with its arguments; empty: none
 * @throws UsageError
 */
export function commandArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
) {
  const end = args.indexOf('--');
  const command = end < 0 ? [] : args.slice(end + 1);
  if (end >= 0 && command.length === 0) throw new UsageError('There is no command behind --.');
  try {
    const { values } = parseArgs({ args: end < 0 ? [...args] : args.slice(0, end), options });
    return { values, command };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
