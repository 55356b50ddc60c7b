/**
 * Reads the manifest of an event source: what .NET's EventSource generates, and what `generateManifest` does.
 * References between its parts are resolved, so that an event has all that decoding it takes.
 */
import { LEVEL_NAMES, OPCODE_NAMES } from './constants.ts';
import { ManifestError } from './error.ts';
import { readTags, type Tag } from './xml.ts';

/** A number with a name: a task, an opcode, or a value of a map. */
export interface NamedNumber {
  readonly name: string;
  readonly value: number;
}

export interface ManifestKeyword {
  readonly name: string;
  /** 64 bits. */
  readonly mask: bigint;
}

/** The names of a field's values: one for a value, or one for each bit of it. */
export interface ManifestMap {
  readonly kind: 'values' | 'bits';
  readonly entries: readonly NamedNumber[];
}

export interface ManifestField {
  readonly name: string;
  /** `win:UInt32`, `win:UnicodeString` and so on. */
  readonly inType: string;
  readonly outType?: string;
  /** The name of the field that tells the length, or the length. */
  readonly length?: string;
  readonly map?: ManifestMap;
}

export interface ManifestEvent {
  readonly id: number;
  readonly version: number;
  readonly level: number;
  readonly keywords: bigint;
  /** `win:Info` without one. */
  readonly opcode: NamedNumber;
  readonly task?: NamedNumber;
  /** The event's name, which EventSource writes since .NET Framework 4.6. */
  readonly symbol?: string;
  /** With insertion marks: `%1` is the first field. */
  readonly message?: string;
  /** In payload order. */
  readonly fields: readonly ManifestField[];
}

export interface Manifest {
  /** The provider's. */
  readonly name: string;
  /** Lower-case GUID text without braces. */
  readonly guid: string;
  readonly keywords: readonly ManifestKeyword[];
  readonly events: readonly ManifestEvent[];
}

/** @throws ManifestError */
export function parseManifest(xml: string): Manifest {
  const tags = readTags(xml).filter((tag) => !tag.isEnd);
  const [provider, second] = tags.filter((tag) => tag.name === 'provider');
  if (provider === undefined) throw new ManifestError(0, 'The manifest has no provider.');
  if (second !== undefined) {
    throw new ManifestError(second.offset, 'The manifest has more than one provider.');
  }
  const reader = new ManifestReader(tags);
  return {
    name: required(provider, 'name'),
    guid: required(provider, 'guid')
      .replaceAll(/^\{|\}$/g, '')
      .toLowerCase(),
    keywords: [...reader.keywords.values()],
    events: reader.events(),
  };
}

class ManifestReader {
  readonly keywords: ReadonlyMap<string, ManifestKeyword>;
  private readonly tags: readonly Tag[];
  private readonly strings: ReadonlyMap<string, string>;
  private readonly tasks: ReadonlyMap<string, NamedNumber>;
  private readonly opcodes: ReadonlyMap<string, NamedNumber>;
  private readonly maps: ReadonlyMap<string, ManifestMap>;
  private readonly templates: ReadonlyMap<string, readonly ManifestField[]>;

  /** @param tags start tags only */
  constructor(tags: readonly Tag[]) {
    this.tags = tags;
    this.strings = this.byKey('string', 'id', (tag) => required(tag, 'value'));
    this.tasks = this.byKey('task', 'name', namedNumber);
    const predefined = Array.from(OPCODE_NAMES, ([value, name]) => [name, { name, value }] as const);
    this.opcodes = new Map([...predefined, ...this.byKey('opcode', 'name', namedNumber)]);
    this.keywords = this.byKey('keyword', 'name', (tag) => ({
      name: required(tag, 'name'),
      mask: BigInt(integer(tag, 'mask')),
    }));
    this.maps = this.readMaps();
    this.templates = this.readTemplates();
  }

  events(): ManifestEvent[] {
    return this.tags.filter((tag) => tag.name === 'event').map((tag) => this.readEvent(tag));
  }

  private readEvent(tag: Tag): ManifestEvent {
    const { symbol } = tag.attributes;
    const level = required(tag, 'level');
    const levelNumber = LEVEL_NAMES.indexOf(level as (typeof LEVEL_NAMES)[number]);
    if (levelNumber < 0) throw undeclared(tag, 'level', level);
    const task = this.referenced(tag, 'task', this.tasks);
    const message = this.text(tag);
    return {
      id: Number(integer(tag, 'value')),
      version: tag.attributes.version === undefined ? 0 : Number(integer(tag, 'version')),
      level: levelNumber,
      keywords: this.keywordsOf(tag),
      opcode: this.referenced(tag, 'opcode', this.opcodes) ?? { name: 'win:Info', value: 0 },
      ...(task === undefined ? {} : { task }),
      ...(symbol === undefined ? {} : { symbol }),
      ...(message === undefined ? {} : { message }),
      fields: this.referenced(tag, 'template', this.templates) ?? [],
    };
  }

  private keywordsOf(tag: Tag): bigint {
    let keywords = 0n;
    for (const name of (tag.attributes.keywords ?? '').split(' ').filter((word) => word !== '')) {
      const keyword = this.keywords.get(name);
      if (keyword === undefined) throw undeclared(tag, 'keywords', name);
      keywords |= keyword.mask;
    }
    return keywords;
  }

  private referenced<Item>(tag: Tag, key: string, items: ReadonlyMap<string, Item>): Item | undefined {
    const name = tag.attributes[key];
    if (name === undefined) return undefined;
    const item = items.get(name);
    if (item === undefined) throw undeclared(tag, key, name);
    return item;
  }

  /** Of several with one key, such as the strings of several cultures, the first counts. */
  private byKey<Item>(name: string, key: string, read: (tag: Tag) => Item): Map<string, Item> {
    const items = new Map<string, Item>();
    for (const tag of this.tags) {
      if (tag.name !== name) continue;
      const itemKey = required(tag, key);
      if (!items.has(itemKey)) items.set(itemKey, read(tag));
    }
    return items;
  }

  private readMaps(): Map<string, ManifestMap> {
    const maps = new Map<string, ManifestMap>();
    let entries: NamedNumber[] = [];
    for (const tag of this.tags) {
      if (tag.name === 'valueMap' || tag.name === 'bitMap') {
        entries = [];
        maps.set(required(tag, 'name'), { kind: tag.name === 'bitMap' ? 'bits' : 'values', entries });
      } else if (tag.name === 'map') {
        entries.push({ name: this.text(tag) ?? '', value: Number(integer(tag, 'value')) });
      }
    }
    return maps;
  }

  private readTemplates(): Map<string, readonly ManifestField[]> {
    const templates = new Map<string, readonly ManifestField[]>();
    let fields: ManifestField[] = [];
    for (const tag of this.tags) {
      if (tag.name === 'template') {
        fields = [];
        templates.set(required(tag, 'tid'), fields);
      } else if (tag.name === 'data') {
        fields.push(this.readField(tag));
      }
    }
    return templates;
  }

  private readField(tag: Tag): ManifestField {
    const { outType, length } = tag.attributes;
    const map = this.referenced(tag, 'map', this.maps);
    return {
      name: required(tag, 'name'),
      inType: required(tag, 'inType'),
      ...(outType === undefined ? {} : { outType }),
      ...(length === undefined ? {} : { length }),
      ...(map === undefined ? {} : { map }),
    };
  }

  /** A message: text, or `$(string.id)` for one of the string table. */
  private text(tag: Tag): string | undefined {
    const { message } = tag.attributes;
    const id = message === undefined ? undefined : /^\$\(string\.(.*)\)$/.exec(message)?.[1];
    return id === undefined ? message : (this.strings.get(id) ?? message);
  }
}

function namedNumber(tag: Tag): NamedNumber {
  return { name: required(tag, 'name'), value: Number(integer(tag, 'value')) };
}

function required(tag: Tag, key: string): string {
  const value = tag.attributes[key];
  if (value === undefined) throw new ManifestError(tag.offset, `A <${tag.name}> has no ${key}.`);
  return value;
}

/** Decimal, or hexadecimal after `0x`. */
function integer(tag: Tag, key: string): bigint {
  const text = required(tag, key);
  if (!/^(0x[0-9a-f]+|[0-9]+)$/i.test(text)) {
    throw new ManifestError(tag.offset, `A <${tag.name}> has the ${key} "${text}", which is no number.`);
  }
  return BigInt(text);
}

function undeclared(tag: Tag, key: string, name: string): ManifestError {
  return new ManifestError(tag.offset, `An <${tag.name}> has the ${key} "${name}", which is not declared.`);
}
