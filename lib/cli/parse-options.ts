/** Parses a command line's options, and suggests the one that was meant when there is no such option. */

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { systemCodeOf } from '../base/system-code.ts';
import { thrownMessage } from '../base/value-text.ts';

/** An invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Options = NonNullable<ParseArgsConfig['options']>;

/** How many letters a mistyped name may differ by. */
const MAX_DIFFERENCE = 2;

/** @throws UsageError */
export function parseOptions(args: readonly string[], options: Options, allowPositionals: boolean) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    const unknown =
      systemCodeOf(error) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? unknownName(args, options) : undefined;
    if (unknown !== undefined) throw new UsageError(noSuchOption(unknown, options));
    throw new UsageError(thrownMessage(error));
  }
}

/** The first long option of the command line that is none of these; undefined if the unknown one is short. */
function unknownName(args: readonly string[], options: Options): string | undefined {
  return args
    .map((arg) => /^--([^=]+)/.exec(arg)?.[1])
    .find((name) => name !== undefined && !Object.hasOwn(options, name));
}

function noSuchOption(name: string, options: Options): string {
  const meant = Object.keys(options)
    .map((option) => ({ option, difference: difference(name, option) }))
    .filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((a, b) => a.difference - b.difference)[0]?.option;
  if (meant === undefined) return `There is no option --${name}; --help lists the options.`;
  const repeated = options[meant]?.multiple === true ? ' (can be repeated)' : '';
  return `There is no option --${name}; did you mean --${meant}${repeated}?`;
}

/** How many letters must be inserted, removed or replaced to turn one text into the other. */
function difference(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
