/**
 * Trace message format: the texts of a program's WPP messages, which its PDB contains and Tracepdb writes to files.
 *
 *     // PDB:  app.pdb
 *     7113b9e1-a0cc-d313-1eab-57efe9d7e56c app // SRC=queue.c MJ= MN=
 *     #typev queue_c319 10 "%0%!FUNC! took %10!d! ms" //   LEVEL=TRACE_LEVEL_ERROR FLAGS=TRACE_QUEUE FUNC=Take
 *     {
 *     queue->time, ItemLong -- 10
 *     }
 *
 * A GUID with the name of the component applies to the messages after it. `queue_c319` is file and line, 10 the
 * message's number. `%0` to `%9` are what is known of any message; arguments count from 10, and are stored in this order.
 * Source: Microsoft's documentation of WPP ("Trace Message Format File", "Trace Message Prefix") and its examples.
 */

import { isGuidText } from '../guid.ts';
import type { PackedField } from '../packed/field.ts';
import { type Item, type ItemKind, itemOf } from './item-types.ts';

export interface TmfArgument {
  readonly number: number;
  readonly field: PackedField;
  readonly kind: ItemKind;
}

export interface TmfMessage {
  /** The GUID is in lower case. */
  readonly guid: string;
  readonly number: number;
  /** The component's name. */
  readonly component: string;
  /** `queue_c319`. */
  readonly place: string;
  /** `queue.c`, unless the symbols are public. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The function, or file and line, or the number. */
  readonly name: string;
  readonly level: number;
  /** The keys after `//`, in upper case: LEVEL, FLAGS, FUNC, COMPNAME. */
  readonly keys: ReadonlyMap<string, string>;
  readonly format: string;
  readonly arguments: readonly TmfArgument[];
  /** The fields of the arguments. */
  readonly fields: readonly PackedField[];
}

interface Tmf {
  readonly messages: readonly TmfMessage[];
  /** What cannot be read, and is skipped: `app.tmf:12: …`. */
  readonly problems: readonly string[];
}

const MAX_LINE = 1 << 16;
const MAX_MESSAGES = 1 << 20;
const MAX_ARGUMENTS = 256;
const MAX_PROBLEMS = 100;
/** Messages without arguments that are numbered start here. */
const FIRST_ARGUMENT = 10;

const LEVELS: Readonly<Record<string, number>> = {
  NONE: 0,
  FATAL: 1,
  CRITICAL: 1,
  ERROR: 2,
  WARNING: 3,
  INFORMATION: 4,
  VERBOSE: 5,
};

/** @param name of the file, for problems */
export function parseTmf(text: string, name: string): Tmf {
  const parser = new TmfParser(name);
  let number = 0;
  for (let start = 0; start <= text.length; ) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at;
    parser.add(end - start > MAX_LINE ? undefined : text.slice(start, end).trim(), ++number);
    start = end + 1;
  }
  return parser.finish(number);
}

/** The part of a message that precedes its arguments. */
type Head = Omit<TmfMessage, 'arguments' | 'fields'>;

class TmfParser {
  readonly #name: string;
  readonly #messages: TmfMessage[] = [];
  readonly #problems: string[] = [];
  #component:
    | { readonly guid: string; readonly name: string; readonly source: string | undefined }
    | undefined;
  #head: Head | undefined;
  #conversions: ReadonlyMap<number, string> = new Map();
  #arguments: { name: string; number: number; item: Item }[] = [];
  #isInBraces = false;

  constructor(name: string) {
    this.#name = name;
  }

  /** @param line undefined for one that is too long */
  add(line: string | undefined, number: number): void {
    if (line === undefined) {
      this.#refuse(number, `The line has more than ${MAX_LINE} characters.`);
    } else if (this.#isInBraces) {
      if (line === '}') this.#end();
      else if (this.#head !== undefined && line !== '') this.#addArgument(line, number);
    } else if (line === '{') {
      this.#isInBraces = true;
    } else if (line.startsWith('#')) {
      this.#end();
      this.#head = this.#headOf(line, number);
      this.#conversions = conversionsOf(this.#head?.format ?? '');
    } else if (line !== '' && !line.startsWith('//') && line !== 'PUBLIC_TMF:') {
      this.#end();
      this.#setComponent(line, number);
    }
  }

  finish(lines: number): Tmf {
    if (this.#isInBraces) this.#refuse(lines, 'The arguments of the last message have no end (}).');
    this.#end();
    return { messages: this.#messages, problems: this.#problems };
  }

  #refuse(line: number, sentence: string): undefined {
    // A message with a bad part is no message.
    this.#head = undefined;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(`${this.#name}:${line}: ${sentence}`);
    return undefined;
  }

  #setComponent(line: string, number: number): void {
    const [, guid = '', name = '', source] =
      /^\{?([\w-]{36})\}?(?:\s+([^\s/]\S*))?\s*(?:\/\/\s*(?:SRC=(\S+))?.*)?$/s.exec(line) ?? [];
    this.#component = undefined;
    if (!isGuidText(guid))
      this.#refuse(number, `"${shortened(line)}" is neither a GUID and a name nor #typev.`);
    else this.#component = { guid: guid.toLowerCase(), name: name || guid.toLowerCase(), source };
  }

  #headOf(line: string, number: number): Head | undefined {
    const [start, place = '', id = ''] = /^#typev?\s+(\S+)\s+(\d{1,5})\s+"/.exec(line) ?? [];
    if (start === undefined)
      return this.#refuse(number, `"${shortened(line)}" is not #typev with a name, a number and a text.`);
    if (this.#component === undefined) return this.#refuse(number, 'No GUID precedes the message.');
    if (Number(id) > 0xffff) return this.#refuse(number, `The message number ${id} is more than 65535.`);
    const end = closingQuote(line, start.length);
    if (end === undefined)
      return this.#refuse(number, 'The text of the message has no closing quotation mark.');
    const keys = keysOf(line.slice(end + 1));
    const { guid, name: component, source } = this.#component;
    const [file, codeLine] = placeOf(place, source);
    const where = file === undefined ? `Message(${Number(id)})` : `${file}:${codeLine}`;
    return {
      guid,
      number: Number(id),
      component,
      place,
      file,
      line: codeLine,
      name: keys.get('FUNC') || where,
      level: levelOf(keys.get('LEVEL')),
      keys,
      format: line.slice(start.length, end),
    };
  }

  #addArgument(line: string, number: number): void {
    const [tail = '', given] = /(?:--|\/\/)\s*(\d{1,5})$/.exec(line) ?? [];
    const rest = line.slice(0, line.length - tail.length).trimEnd();
    const at = typeAt(rest);
    if (at === undefined) {
      this.#refuse(number, `"${shortened(line)}" is not an argument with its type.`);
    } else if (this.#arguments.length === MAX_ARGUMENTS) {
      this.#refuse(number, `The message has more than ${MAX_ARGUMENTS} arguments.`);
    } else {
      const argument = given === undefined ? FIRST_ARGUMENT + this.#arguments.length : Number(given);
      const name = rest.slice(0, at).replace(/,\s*$/, '').trim();
      const item = itemOf(rest.slice(at), this.#conversions.get(argument) ?? '');
      this.#arguments.push({ name: name || 'Arg', number: argument, item });
    }
  }

  #end(): void {
    const head = this.#head;
    const found = this.#arguments;
    this.#head = undefined;
    this.#arguments = [];
    this.#isInBraces = false;
    if (head === undefined || this.#messages.length === MAX_MESSAGES) return;
    found.sort((a, b) => a.number - b.number);
    const names = uniqueNames(found.map(({ name }) => name));
    const args = found.map(({ number, item }, index) => ({
      number,
      field: { ...item.field, name: names[index] as string },
      kind: item.kind,
    }));
    this.#messages.push({ ...head, arguments: args, fields: args.map(({ field }) => field) });
  }
}

function shortened(line: string): string {
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

/** Returns the index of the last quotation mark before the keys. */
function closingQuote(line: string, start: number): number | undefined {
  for (let at = line.lastIndexOf('"'); at >= start; at = line.lastIndexOf('"', at - 1)) {
    const behind = /"\s*(?:\/\/|$)/y;
    behind.lastIndex = at;
    if (behind.test(line)) return at;
    if (at === 0) break;
  }
  return undefined;
}

/** `// LEVEL=2 FUNC=operator new FLAGS=A`: values may contain spaces. */
function keysOf(text: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const part of text.replace(/^\s*\/\/\s*/, '').split(/\s(?=[A-Za-z_]\w{0,63}=)/)) {
    const at = part.indexOf('=');
    if (at > 0) keys.set(part.slice(0, at).toUpperCase(), part.slice(at + 1).trim());
  }
  return keys;
}

function levelOf(text = ''): number {
  if (/^\d{1,3}$/.test(text)) return Math.min(Number(text), 255);
  const name = text.replace(/^TRACE_LEVEL_/, '');
  return LEVELS[name] ?? 0;
}

/** Reads `queue_c319`: all but letters and digits of the file's name became `_`. */
function placeOf(
  place: string,
  source: string | undefined,
): [file: string, line: number] | [undefined, undefined] {
  if (source === undefined) return [undefined, undefined];
  const [, line] = /(\d{1,9})$/.exec(place.slice(source.length)) ?? [];
  const isPlace = line !== undefined && place.length === source.length + line.length;
  // Public symbols have the same for all.
  return isPlace && !/^Unknown_cxx/i.test(place) ? [source, Number(line)] : [undefined, undefined];
}

/** Where the type begins: after the last comma that `Item` follows. */
function typeAt(text: string): number | undefined {
  for (let at = text.lastIndexOf('Item'); at >= 0; at = at === 0 ? -1 : text.lastIndexOf('Item', at - 1)) {
    if (at === 0 || text[at - 1] === ',' || (text[at - 1] === ' ' && text[at - 2] === ',')) {
      const type = /\w+\s*(?:\(|$)/y;
      type.lastIndex = at;
      if (type.test(text) && (text.endsWith(')') || type.lastIndex === text.length)) return at;
    }
  }
  return undefined;
}

/** Maps each argument to the letter of its first conversion: `%10!08lx!` to that of argument 10. */
function conversionsOf(format: string): ReadonlyMap<number, string> {
  const letters = new Map<number, string>();
  for (const [, argument, conversion = ''] of format.matchAll(/%(\d{1,5})!([^!]*)!/g)) {
    if (!letters.has(Number(argument))) letters.set(Number(argument), conversion.at(-1) ?? '');
  }
  return letters;
}

/** Names that occur more than once, as `Arg` does in public symbols, get a number: their position, from 1. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  return names.map((name, index) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) return name;
    let unique = `${name}${index + 1}`;
    while (taken.has(unique)) unique += '_';
    taken.add(unique);
    return unique;
  });
}
