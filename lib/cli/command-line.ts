/** The command line of a command: its options in groups, what else it takes, and its help. */
import { printHelp } from './messages.ts';
import {
  type OptionRow,
  type OptionRows,
  type OptionValues,
  parseOptions,
  type Terms,
  UsageError,
} from './parse-options.ts';

/** What help consists of: paragraphs, whose white space is one blank, lists, and options. */
type HelpPart = string | Terms | OptionRows;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All extends OptionRows,
) => void
  ? All
  : never;

/** The values of all the options in these parts. */
type ValuesOf<Parts extends readonly HelpPart[]> = OptionValues<
  Intersection<Extract<Parts[number], OptionRows>>
>;

/** Help is as wide as the terminal within these limits: longer lines are hard to read. */
const MIN_WIDTH = 60;
const MAX_WIDTH = 100;
/** Help is this wide elsewhere than on a terminal. */
const DEFAULT_WIDTH = 80;
const INDENT = 2;
const GAP = 2;
/** A longer name has a line of its own. */
const MAX_NAME = 22;

/** Each way to parse a command line returns undefined if help is requested, after printing it. */
export class CommandLine<const Parts extends readonly HelpPart[] = readonly HelpPart[]> {
  readonly #name: string;
  readonly #usage: readonly string[];
  readonly #parts: Parts;
  /** The options of all parts. */
  readonly rows: OptionRows;

  /**
   * @param usage what follows the command's name, such as `FILE...`; one for each way to use it
   * @param parts of its help, in this order
   */
  constructor(name: string, usage: string | readonly string[], parts: Parts) {
    this.#name = name;
    this.#usage = [usage].flat();
    this.#parts = parts;
    this.rows = Object.assign({}, ...parts.filter(isRows));
  }

  /** @param width in characters */
  help(width = Math.min(Math.max(process.stdout.columns ?? DEFAULT_WIDTH, MIN_WIDTH), MAX_WIDTH)): string {
    const usage = this.#usage.map((each) => `tracewright ${this.#name} ${each}`.trimEnd());
    const lines = [`Usage: ${usage.join(`\n${' '.repeat('Usage: '.length)}`)}`];
    const column = textColumn(Object.entries(this.rows).map(([name, row]) => optionName(name, row)));
    let last: HelpPart | undefined;
    for (const part of this.#parts) {
      const isHeaded = typeof last === 'string' && last.endsWith(':');
      const isContinued = last !== undefined && isRows(last) && isRows(part);
      if (!isHeaded && !isContinued) lines.push('');
      lines.push(...partLines(part, column, width));
      last = part;
    }
    return `${lines.join('\n')}\n`;
  }

  /** Parses the arguments of a command that takes one file, or another name. @throws UsageError */
  file(args: readonly string[]) {
    const given = this.#parse(args);
    if (given === undefined) return undefined;
    const [file, ...others] = given.positionals;
    if (file === undefined || others.length > 0) throw this.error(`${this.#name} takes one file.`);
    return { file, values: given.values };
  }

  /**
   * Parses the arguments of a command that takes one file or several.
   *
   * @param byDefault the files if none is given; undefined if none is needed
   * @throws UsageError
   */
  files(
    args: readonly string[],
    byDefault: (values: ValuesOf<Parts>) => readonly string[] | undefined = () => [],
  ) {
    const given = this.#parse(args);
    if (given === undefined) return undefined;
    const files = given.positionals.length > 0 ? given.positionals : byDefault(given.values);
    if (files?.length === 0) throw this.error(`${this.#name} takes at least one file.`);
    return { files: files ?? [], values: given.values };
  }

  /** Parses the arguments of a command that takes one name, or none. @throws UsageError */
  optionalName(args: readonly string[]) {
    const given = this.#parse(args);
    if (given === undefined) return undefined;
    const [name, second] = given.positionals;
    if (second !== undefined) {
      throw new UsageError(`${this.#name} takes one name: "${second}" is unexpected.`);
    }
    return { name, values: given.values };
  }

  /** Parses the arguments of a command that takes only options. @throws UsageError */
  options(args: readonly string[]): ValuesOf<Parts> | undefined {
    const given = this.#parse(args);
    const [file] = given?.positionals ?? [];
    if (file !== undefined) throw new UsageError(`${this.#name} takes no file: "${file}" is unexpected.`);
    return given?.values;
  }

  /**
   * Parses the arguments of a command that can run another one: OPTIONS [-- COMMAND [ARGUMENT]...].
   *
   * @returns the other command with its arguments; empty if there is none
   * @throws UsageError
   */
  command(args: readonly string[]) {
    const end = args.indexOf('--');
    const given = this.#parse(end < 0 ? args : args.slice(0, end));
    if (given === undefined) return undefined;
    const [word] = given.positionals;
    if (word !== undefined) {
      throw new UsageError(`${this.#name} takes a COMMAND only after --: "${word}" is unexpected.`);
    }
    if (end >= 0 && end === args.length - 1) throw new UsageError('There is no command after --.');
    return { values: given.values, command: end < 0 ? [] : args.slice(end + 1) };
  }

  /** An error that shows the help as well. */
  error(sentence: string): UsageError {
    return new UsageError(`${sentence}\n\n${this.help().trimEnd()}`);
  }

  #parse(args: readonly string[]) {
    const given = parseOptions(args, this.rows as Intersection<Extract<Parts[number], OptionRows>>);
    if (given === undefined) printHelp(this.help());
    return given;
  }
}

function isRows(part: HelpPart): part is OptionRows {
  return typeof part === 'object' && !Array.isArray(part);
}

/** `-o, --output FILE` */
function optionName(name: string, { short, value }: OptionRow): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? names : `${names} ${value.name}`;
}

/** Where the texts beside these names begin. */
function textColumn(names: readonly string[]): number {
  return INDENT + Math.max(0, ...names.map(({ length }) => length).filter((one) => one <= MAX_NAME)) + GAP;
}

function partLines(part: HelpPart, column: number, width: number): string[] {
  if (typeof part === 'string') return wrapped(part, width);
  if (!isRows(part)) return listLines(part, textColumn(part.map(([name]) => name)), width);
  return Object.entries(part).flatMap(([name, row]) => {
    const { help, repeats, terms = [] } = row;
    const text = repeats ? `${help}; can be repeated` : help;
    const inner = listLines(terms, textColumn(terms.map(([term]) => term)), width - column);
    return [
      ...listLines([[optionName(name, row), text]], column, width),
      ...inner.map((line) => ' '.repeat(column) + line),
    ];
  });
}

function listLines(terms: Terms, column: number, width: number): string[] {
  return terms.flatMap(([name, text]) => {
    const head = ' '.repeat(INDENT) + name;
    const lines = wrapped(text, width - column).map((line) => ' '.repeat(column) + line);
    if (head.length + GAP > column) return [head, ...lines];
    const [first = '', ...others] = lines;
    return [head + first.slice(head.length), ...others];
  });
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
