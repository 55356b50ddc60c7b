/** The command line of a command that can run another one: OPTIONS [-- COMMAND [ARGUMENT]...]. */
import type { OptionValues } from './file-arguments.ts';
import { type Options, parseOptions } from './parse-options.ts';
import { UsageError } from './usage-error.ts';

export interface CommandArguments<O extends Options> {
  readonly values: OptionValues<O>;
  /** The other command with its arguments; empty if there is none. */
  readonly command: readonly string[];
}

/**
 * @param options as for `parseArgs` of node:util
 * @throws UsageError
 */
export function commandArguments<const O extends Options>(
  args: readonly string[],
  options: O,
): CommandArguments<O> {
  const { own, command } = splitCommand(args);
  const { values } = parseOptions(own, options, false);
  return { values: values as OptionValues<O>, command };
}

/** @throws UsageError */
export function splitCommand(args: readonly string[]): {
  readonly own: readonly string[];
  /** The other command with its arguments; empty if there is none. */
  readonly command: readonly string[];
} {
  const end = args.indexOf('--');
  if (end < 0) return { own: args, command: [] };
  if (end === args.length - 1) throw new UsageError('There is no command after --.');
  return { own: args.slice(0, end), command: args.slice(end + 1) };
}
