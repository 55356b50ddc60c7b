/**
 * The parts of manifests, provider by provider, as tags. They can be in any order and refer to each other by name, so
 * they can be interpreted only once all have been read.
 */
import { ManifestError } from './error.ts';
import { readTags, type Tag } from './xml.ts';

/** A `<data>`, or a `<struct>` with its members. */
export interface FieldSection {
  readonly tag: Tag;
  readonly members?: Tag[];
}

interface MapSection {
  /** `<valueMap>` or `<bitMap>`. */
  readonly tag: Tag;
  readonly entries: Tag[];
}

interface TaskSection {
  readonly tag: Tag;
  /** Those of this task only, by name. */
  readonly opcodes: Map<string, Tag>;
}

/** Everything by name, except the events. If several have one name, the first counts. */
export interface ProviderSection {
  readonly tag: Tag;
  readonly events: Tag[];
  readonly tasks: Map<string, TaskSection>;
  readonly opcodes: Map<string, Tag>;
  readonly keywords: Map<string, Tag>;
  readonly maps: Map<string, MapSection>;
  readonly templates: Map<string, FieldSection[]>;
}

export interface ManifestSections {
  readonly providers: readonly ProviderSection[];
  /** Messages by id; if there are several cultures, the first. */
  readonly strings: ReadonlyMap<string, string>;
}

/** @throws ManifestError */
export function readSections(xml: string): ManifestSections {
  const reader = new SectionReader();
  for (const tag of readTags(xml)) reader.read(tag);
  return reader;
}

/**
 * Their contents do not describe events, whatever their names: the event's own XML, and performance counters, which
 * have another kind of provider.
 */
const FOREIGN: ReadonlySet<string> = new Set(['UserData', 'counters']);

class SectionReader implements ManifestSections {
  readonly providers: ProviderSection[] = [];
  readonly strings = new Map<string, string>();
  #provider: ProviderSection | undefined;
  #task: TaskSection | undefined;
  #map: MapSection | undefined;
  #template: FieldSection[] | undefined;
  #struct: FieldSection | undefined;
  /** The element of `FOREIGN` that contains the tags. */
  #foreign: string | undefined;

  read(tag: Tag): void {
    if (this.#foreign !== undefined) {
      if (tag.isEnd && tag.name === this.#foreign) this.#foreign = undefined;
    } else if (FOREIGN.has(tag.name)) {
      if (!tag.isEnd) this.#foreign = tag.name;
    } else if (tag.isEnd) this.#end(tag);
    else if (tag.name === 'string') add(this.strings, required(tag, 'id'), required(tag, 'value'));
    else if (tag.name === 'provider') this.#startProvider(tag);
    else if (this.#provider !== undefined) this.#startIn(this.#provider, tag);
  }

  #end(tag: Tag): void {
    switch (tag.name) {
      case 'provider':
        this.#provider = undefined;
        break;
      case 'task':
        this.#task = undefined;
        break;
      case 'valueMap':
      case 'bitMap':
        this.#map = undefined;
        break;
      case 'template':
        this.#template = undefined;
        break;
      case 'struct':
        this.#struct = undefined;
        break;
    }
  }

  #startProvider(tag: Tag): void {
    this.#provider = {
      tag,
      events: [],
      tasks: new Map(),
      opcodes: new Map(),
      keywords: new Map(),
      maps: new Map(),
      templates: new Map(),
    };
    this.providers.push(this.#provider);
  }

  #startIn(provider: ProviderSection, tag: Tag): void {
    switch (tag.name) {
      case 'event':
        provider.events.push(tag);
        break;
      case 'task':
        this.#task = { tag, opcodes: new Map() };
        add(provider.tasks, required(tag, 'name'), this.#task);
        break;
      case 'opcode':
        add(this.#task?.opcodes ?? provider.opcodes, required(tag, 'name'), tag);
        break;
      case 'keyword':
        add(provider.keywords, required(tag, 'name'), tag);
        break;
      case 'valueMap':
      case 'bitMap':
        this.#map = { tag, entries: [] };
        add(provider.maps, required(tag, 'name'), this.#map);
        break;
      case 'map':
        this.#map?.entries.push(tag);
        break;
      case 'template':
        this.#template = [];
        add(provider.templates, required(tag, 'tid'), this.#template);
        break;
      case 'struct':
        this.#startStruct(tag);
        break;
      case 'data':
        if (this.#struct?.members !== undefined) this.#struct.members.push(tag);
        else this.#template?.push({ tag });
        break;
    }
  }

  #startStruct(tag: Tag): void {
    if (this.#struct !== undefined) throw new ManifestError(tag.offset, 'A <struct> is nested in another.');
    this.#struct = { tag, members: [] };
    this.#template?.push(this.#struct);
  }
}

function add<Item>(items: Map<string, Item>, key: string, item: Item): void {
  if (!items.has(key)) items.set(key, item);
}

/** @throws ManifestError if the tag has no such attribute */
export function required(tag: Tag, key: string): string {
  const value = tag.attributes[key];
  if (value === undefined) throw new ManifestError(tag.offset, `A <${tag.name}> has no ${key}.`);
  return value;
}

/**
 * A number, decimal or hexadecimal after `0x`.
 *
 * @throws ManifestError where the tag has none
 */
export function integer(tag: Tag, key: string): bigint {
  const text = required(tag, key);
  if (!/^(0x[0-9a-f]{1,16}|[0-9]{1,20})$/i.test(text)) {
    throw new ManifestError(tag.offset, `A <${tag.name}> has the ${key} "${text}", which is not a number.`);
  }
  return BigInt(text);
}

/** Returns the provider's GUID as lower-case text without braces. */
export function providerGuid(provider: Tag): string {
  return required(provider, 'guid')
    .replaceAll(/^\{|\}$/g, '')
    .toLowerCase();
}

/** A message: text, or `$(string.id)` for an entry of the string table. */
export function messageOf(tag: Tag, strings: ReadonlyMap<string, string>): string | undefined {
  const { message } = tag.attributes;
  const id = message === undefined ? undefined : /^\$\(string\.(.*)\)$/.exec(message)?.[1];
  return id === undefined ? message : (strings.get(id) ?? message);
}
