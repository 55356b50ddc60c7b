/** The command line of a command that takes options and at most one file. */
import { printHelp } from './messages.ts';
import { type Options, parseOptions, UsageError } from './parse-options.ts';

/** The value of each option: a switch, a string, or several strings for a repeatable option. */
export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]?: O[Name]['type'] extends 'boolean'
    ? boolean
    : O[Name]['multiple'] extends true
      ? readonly string[]
      : string;
};

export interface FileArguments<O extends Options> {
  /** `-` is standard input. */
  readonly file: string;
  readonly values: OptionValues<O>;
}

export interface FilesArguments<O extends Options> {
  /** There is at least one. */
  readonly files: readonly string[];
  readonly values: OptionValues<O>;
}

/**
 * @param usage printed for `--help`
 * @param options as for `parseArgs` of node:util
 * @returns undefined if help was requested, after printing it
 * @throws UsageError
 */
export function fileArguments<const O extends Options>(
  command: string,
  usage: string,
  args: readonly string[],
  options: O,
): FileArguments<O> | undefined {
  const given = parse(usage, args, options);
  if (given === undefined) return undefined;
  const [file, ...others] = given.positionals;
  if (file === undefined || others.length > 0) {
    throw new UsageError(`${command} takes one file.\n\n${usage.trimEnd()}`);
  }
  return { file, values: given.values as OptionValues<O> };
}

/**
 * Parses the arguments of a command that takes one file or several.
 *
 * @param byDefault the files if none is given
 */
export function filesArguments<const O extends Options>(
  command: string,
  usage: string,
  args: readonly string[],
  options: O,
  byDefault?: () => readonly string[],
): FilesArguments<O> | undefined {
  const given = parse(usage, args, options);
  if (given === undefined) return undefined;
  let files: readonly string[] = given.positionals;
  if (files.length === 0) files = byDefault?.() ?? [];
  if (files.length === 0) throw new UsageError(`${command} takes at least one file.\n\n${usage.trimEnd()}`);
  return { files, values: given.values as OptionValues<O> };
}

/** Parses the arguments of a command that takes one name, or none. */
export function optionalArgument<const O extends Options>(
  command: string,
  usage: string,
  args: readonly string[],
  options: O,
): (Partial<FileArguments<O>> & Pick<FileArguments<O>, 'values'>) | undefined {
  const given = parse(usage, args, options);
  if (given === undefined) return undefined;
  const [file, second] = given.positionals;
  if (second !== undefined) throw new UsageError(`${command} takes one name: "${second}" is unexpected.`);
  return { ...(file !== undefined && { file }), values: given.values as OptionValues<O> };
}

/** Parses the arguments of a command that takes no file. */
export function optionArguments<const O extends Options>(
  command: string,
  usage: string,
  args: readonly string[],
  options: O,
): OptionValues<O> | undefined {
  const given = parse(usage, args, options);
  const file = given?.positionals[0];
  if (file !== undefined) throw new UsageError(`${command} takes no file: "${file}" is unexpected.`);
  return given?.values as OptionValues<O> | undefined;
}

/** @returns undefined if help was requested, after printing it */
function parse(usage: string, args: readonly string[], options: Options) {
  const given = parseOptions(args, { ...options, help: { type: 'boolean', short: 'h' } }, true);
  if (given.values.help !== true) return given;
  printHelp(usage);
  return undefined;
}
