/** The command line of a command that can run another one, or work on a process: OPTIONS [-- COMMAND [ARGUMENT]...]. */
import type { OptionValues } from './file-arguments.ts';
import { type Options, parseOptions, UsageError } from './parse-options.ts';

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

/** @throws UsageError */
export function processIdArgument(text: string): number {
  const processId = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (processId >= 1 && processId < 2 ** 32) return processId;
  throw new UsageError(`--process-id takes a process id, not "${text}".`);
}
