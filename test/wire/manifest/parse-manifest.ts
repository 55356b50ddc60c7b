/**
 * Reads the manifest of an event source: what .NET's EventSource generates, and what `generateManifest` does.
 * References between its parts are resolved, and one to what is not declared is an error: see
 * `describeManifest` for manifests of whatever origin.
 */
import { LEVEL_NAMES, OPCODE_NAMES } from '../../../lib/wire/manifest/constants.ts';
import { ManifestError } from '../../../lib/wire/manifest/error.ts';
import {
  integer,
  type ManifestSections,
  messageOf,
  type ProviderSection,
  providerGuid,
  readSections,
  required,
} from '../../../lib/wire/manifest/sections.ts';
import type { Tag } from '../../../lib/wire/manifest/xml.ts';

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
  const sections = readSections(xml);
  const [provider, second] = sections.providers;
  if (provider === undefined) throw new ManifestError(0, 'The manifest has no provider.');
  if (second !== undefined) {
    throw new ManifestError(second.tag.offset, 'The manifest has more than one provider.');
  }
  const reader = new ManifestReader(provider, sections.strings);
  return {
    name: required(provider.tag, 'name'),
    guid: providerGuid(provider.tag),
    keywords: [...reader.keywords.values()],
    events: provider.events.map((tag) => reader.readEvent(tag)),
  };
}

class ManifestReader {
  readonly keywords: ReadonlyMap<string, ManifestKeyword>;
  private readonly strings: ManifestSections['strings'];
  private readonly tasks: ReadonlyMap<string, NamedNumber>;
  private readonly opcodes: ReadonlyMap<string, NamedNumber>;
  private readonly maps: ReadonlyMap<string, ManifestMap>;
  private readonly templates: ReadonlyMap<string, readonly ManifestField[]>;

  constructor(provider: ProviderSection, strings: ManifestSections['strings']) {
    this.strings = strings;
    this.tasks = mapValues(provider.tasks, ({ tag }) => namedNumber(tag));
    const predefined = Array.from(OPCODE_NAMES, ([value, name]) => [name, { name, value }] as const);
    this.opcodes = new Map([...predefined, ...mapValues(provider.opcodes, namedNumber)]);
    this.keywords = mapValues(provider.keywords, (tag) => ({
      name: required(tag, 'name'),
      mask: BigInt(integer(tag, 'mask')),
    }));
    this.maps = mapValues(provider.maps, ({ tag, entries }) => ({
      kind: tag.name === 'bitMap' ? 'bits' : 'values',
      entries: entries.map((entry) => ({
        name: messageOf(entry, strings) ?? '',
        value: Number(integer(entry, 'value')),
      })),
    }));
    this.templates = mapValues(provider.templates, (fields) => fields.map(({ tag }) => this.readField(tag)));
  }

  readEvent(tag: Tag): ManifestEvent {
    const { symbol } = tag.attributes;
    const level = required(tag, 'level');
    const levelNumber = LEVEL_NAMES.indexOf(level as (typeof LEVEL_NAMES)[number]);
    if (levelNumber < 0) throw undeclared(tag, 'level', level);
    const task = this.referenced(tag, 'task', this.tasks);
    const message = messageOf(tag, this.strings);
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
}

function mapValues<From, To>(items: ReadonlyMap<string, From>, convert: (item: From) => To): Map<string, To> {
  return new Map(Array.from(items, ([key, item]) => [key, convert(item)]));
}

function namedNumber(tag: Tag): NamedNumber {
  return { name: required(tag, 'name'), value: Number(integer(tag, 'value')) };
}

function undeclared(tag: Tag, key: string, name: string): ManifestError {
  return new ManifestError(tag.offset, `An <${tag.name}> has the ${key} "${name}", which is not declared.`);
}
