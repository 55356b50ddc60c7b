/** The options of a command as rows of a table: parsing, help and shell completion follow from it. */
import { parseArgs } from 'node:util';

/** An invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A kind of value that options take. */
export class ValueKind<Value> {
  /** Stands for the value in help: `SIZE`. */
  readonly name: string;
  /** Stands for it in a sentence that refuses another text: `a size such as 64MB`. */
  readonly takes: string;
  readonly #read: (text: string) => Value | undefined;
  /** A shell completes these words, or folders, in place of files. */
  readonly completes: readonly string[] | 'folders' | undefined;

  /** @param read returns undefined if the text is no such value; throws a UsageError that says more about it */
  constructor(
    name: string,
    takes: string,
    read: (text: string) => Value | undefined,
    completes?: readonly string[] | 'folders',
  ) {
    this.name = name;
    this.takes = takes;
    this.#read = read;
    this.completes = completes;
  }

  /** An option that takes such a value. */
  option(
    help: string,
    more: Pick<OptionRow, 'short' | 'terms'> = {},
  ): OptionRow & { readonly value: ValueKind<Value> } {
    return { value: this, help, ...more };
  }

  /** An option that can be given several times. */
  repeated(help: string): OptionRow & { readonly value: ValueKind<Value>; readonly repeats: true } {
    return { value: this, help, repeats: true };
  }

  /**
   * @param option the option's name in messages
   * @throws UsageError
   */
  parse(option: string, text: string): Value {
    const value = this.#read(text);
    if (value !== undefined) return value;
    throw new UsageError(`${option} takes ${this.takes}, not "${text}".`);
  }
}

/** An option without a value. */
export function flag(help: string) {
  return { help };
}

/** Names and what they mean: a list in help. */
export type Terms = readonly (readonly [name: string, text: string])[];

export interface OptionRow {
  /** One letter. */
  readonly short?: string;
  /** An option without a kind of value is a switch. */
  readonly value?: ValueKind<unknown>;
  readonly repeats?: true;
  /** Shells show its beginning, up to the first of `:;,.`. Any white space is one blank. */
  readonly help: string;
  /** What help says of single values. */
  readonly terms?: Terms;
}

/** The rows have the names of their options, without dashes. */
export type OptionRows = Readonly<Record<string, OptionRow>>;

/** What was given: `true` for a switch, a value, or the values of an option that can be repeated. */
export type OptionValues<Rows extends OptionRows> = {
  readonly [Name in keyof Rows]?:
    | (Rows[Name] extends { readonly value: ValueKind<infer Value> }
        ? Rows[Name] extends { readonly repeats: true }
          ? readonly Value[]
          : Value
        : true)
    | undefined;
};

/** How many letters a mistyped name may differ by. */
const MAX_DIFFERENCE = 2;

/**
 * @returns undefined if help is requested, whatever else is given
 * @throws UsageError
 */
export function parseOptions<Rows extends OptionRows>(
  args: readonly string[],
  rows: Rows,
): { readonly values: OptionValues<Rows>; readonly positionals: readonly string[] } | undefined {
  const options = Object.entries(rows).map(([name, { short, value }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, ...(short !== undefined && { short }) }] as const;
  });
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
    // Its own sentences are for programmers.
    strict: false,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === 'option');
  if (given.some(({ name }) => name === 'help')) return undefined;
  const values: Record<string, unknown> = {};
  for (const token of given) {
    const { name } = token;
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (row === undefined) throw new UsageError(noSuchOption(token.rawName, rows));
    const value = givenValue(token, row);
    if (row.repeats) values[name] = [...((values[name] as unknown[] | undefined) ?? []), value];
    else values[name] = value;
  }
  return { values: values as OptionValues<Rows>, positionals };
}

/** An option on the command line, as `parseArgs` has found it. */
interface Token {
  readonly name: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function givenValue({ name, value, inlineValue }: Token, { value: kind }: OptionRow): unknown {
  const option = `--${name}`;
  if (kind === undefined) {
    if (value === undefined) return true;
    throw new UsageError(`${option} takes no value: "${value}" is unexpected.`);
  }
  if (value === undefined) throw new UsageError(`${option} takes ${kind.takes}, but nothing follows it.`);
  if (inlineValue === true || !/^-./.test(value)) return kind.parse(option, value);
  throw new UsageError(
    `${option} takes ${kind.takes}, but "${value}" follows it; what begins with a dash is given as ${option}=${value}.`,
  );
}

/** @param given with its dashes */
function noSuchOption(given: string, rows: OptionRows): string {
  const meant = Object.keys(rows)
    .map((option) => ({ option, difference: difference(given, `--${option}`) }))
    .filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((a, b) => a.difference - b.difference)[0]?.option;
  if (meant === undefined) return `There is no option ${given}; --help lists the options.`;
  const repeated = rows[meant]?.repeats ? ' (can be repeated)' : '';
  return `There is no option ${given}; did you mean --${meant}${repeated}?`;
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
