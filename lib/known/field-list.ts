/**
 * A short notation for field lists: `Count uint32, Name utf16, Values { Address pointer, Size uint64 }[Count]`.
 *
 * A field is a name and a `PackedType`, or a name and the members of a struct in braces. `[n]` after it is a count,
 * `(n)` a length: numbers, names of earlier fields, or `*`; `=Name` is the map of its values. A field whose name starts
 * with `_` is not shown.
 */
import type { PackedField, PackedMap, PackedType } from '../wire/packed/field.ts';

/** The key is the map's name. */
export type PackedMaps = ReadonlyMap<string, PackedMap>;

const NO_MAPS: PackedMaps = new Map();

/** @throws SyntaxError if the text is invalid: such texts are part of the code */
export function parseFieldList(text: string, maps: PackedMaps = NO_MAPS): readonly PackedField[] {
  const parser = new FieldListParser(text, maps);
  const fields = parser.list();
  if (!parser.isAtEnd) throw parser.error();
  return fields;
}

const NAME = /\s*(_?)(\w+)\s*/y;
const TYPE = /([a-z]\w*)/y;
/** A count, a length and a map, all optional. */
const REST = /(?:\[([\w*]+)\])?(?:\((\w+)\))?(?:=(\w+))?\s*/y;
const OPEN = /\{/y;
const CLOSE = /\}/y;
const COMMA = /,/y;

class FieldListParser {
  readonly #text: string;
  readonly #maps: PackedMaps;
  #offset = 0;

  constructor(text: string, maps: PackedMaps) {
    this.#text = text.trim();
    this.#maps = maps;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#text.length;
  }

  list(): PackedField[] {
    const fields: PackedField[] = [];
    if (this.isAtEnd) return fields;
    do fields.push(this.#field());
    while (this.#match(COMMA) !== undefined);
    return fields;
  }

  error(): SyntaxError {
    const rest = this.#text.slice(this.#offset, this.#offset + 30);
    return new SyntaxError(`The field list has "${rest}" where something else should be.`);
  }

  #field(): PackedField {
    const [, hidden, name = ''] = this.#require(NAME);
    const members = this.#match(OPEN) === undefined ? undefined : this.#members();
    const type = members === undefined ? this.#require(TYPE)[0] : 'struct';
    const [, count, length, mapName] = this.#require(REST);
    const map = mapName === undefined ? undefined : this.#maps.get(mapName);
    if (mapName !== undefined && map === undefined) {
      throw new SyntaxError(`Field "${name}" has the map "${mapName}", which does not exist.`);
    }
    return {
      name,
      // The texts are our own; a test checks that all their types exist.
      type: type as PackedType,
      ...(count === undefined ? {} : { count: numberOrName(count) }),
      ...(length === undefined ? {} : { length: numberOrName(length) }),
      ...(members === undefined ? {} : { fields: members }),
      ...(map === undefined ? {} : { map }),
      ...(hidden === '_' ? { hidden: true } : {}),
    };
  }

  #members(): PackedField[] {
    const members = this.list();
    this.#require(CLOSE);
    return members;
  }

  #require(pattern: RegExp): RegExpExecArray {
    const match = this.#match(pattern);
    if (match === undefined) throw this.error();
    return match;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#offset += match[0].length;
    return match;
  }
}

function numberOrName(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
