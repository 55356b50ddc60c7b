/**
 * Reads what a manifest's resources contain from the manifest, as Windows' message compiler does. What sources cannot
 * define, such as structs and filters, is refused.
 */
import { isGuidText } from '../../guid.ts';
import { ManifestError } from '../error.ts';
import { integer, providerGuid, required } from '../sections.ts';
import { localName, readTags, type Tag } from '../xml.ts';
import type {
  Channel,
  Definition,
  EventDefinition,
  Item,
  Keyword,
  Named,
  Opcode,
  Template,
  ValueNames,
} from './definition.ts';
import { MessageNumbers } from './message-numbers.ts';
import { inTypeNumber, outTypeNumber, STANDARD_LEVELS, STANDARD_OPCODES, type Standard } from './standard.ts';

/** The texts of each culture by id. */
type Cultures = Map<string, Map<string, string>>;

interface Element {
  readonly tag: Tag;
  readonly parent: Element | undefined;
  readonly children: Element[];
}

/** @throws ManifestError */
export function readDefinition(xml: string): Definition {
  const elements = elementsOf(xml);
  const providers = elements.filter(({ tag }) => tag.name === 'provider');
  const [first] = providers;
  if (first === undefined) throw new ManifestError(0, 'The manifest has no provider.');
  if (providers.length > 1)
    throw new ManifestError(0, `The manifest has ${providers.length} providers, not 1.`);
  return new DefinitionReader(first, culturesOf(elements)).read();
}

/** Returns the elements in the order of their start tags. */
function elementsOf(xml: string): Element[] {
  const elements: Element[] = [];
  let open: Element | undefined;
  for (const tag of readTags(xml)) {
    if (tag.isEnd) open = open?.parent;
    else {
      const element: Element = { tag, parent: open, children: [] };
      open?.children.push(element);
      elements.push(element);
      open = element;
    }
  }
  return elements;
}

function culturesOf(elements: readonly Element[]): Cultures {
  const cultures: Cultures = new Map();
  let texts = new Map<string, string>();
  for (const { tag } of elements) {
    if (tag.name === 'resources') {
      texts = new Map();
      cultures.set(required(tag, 'culture'), texts);
    } else if (tag.name === 'string') texts.set(required(tag, 'id'), required(tag, 'value'));
  }
  return cultures;
}

/** Returns the elements in the order of their start tags. */
function descendants(element: Element): Element[] {
  const found: Element[] = [];
  const left = element.children.toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    found.push(next);
    for (const child of next.children.toReversed()) left.push(child);
  }
  return found;
}

class DefinitionReader {
  readonly #provider: Tag;
  readonly #elements: readonly Element[];
  readonly #messages: MessageNumbers;
  readonly #message: number;
  /** Numbers the provider and its channels: nothing else in the manifest has these numbers. */
  #provided = 1;
  /** Numbers the entries of maps, one after the other. */
  readonly #mapped = { valueMap: 1, bitMap: 1 };
  readonly #channels = new Map<string, Channel>();
  readonly #maps = new Map<string, ValueNames>();
  readonly #templates = new Map<string, Template>();
  /** The opcodes of a task have its name and a blank before theirs: names contain no blank. */
  readonly #opcodes = new Map<string, Opcode>();
  readonly #levels = new Map<string, Named>();
  readonly #tasks = new Map<string, Named>();
  readonly #keywords = new Map<string, Keyword>();

  constructor(provider: Element, cultures: Cultures) {
    this.#provider = provider.tag;
    this.#elements = descendants(provider);
    this.#messages = new MessageNumbers(cultures);
    this.#message = this.#messages.of(provider.tag, 'provider', this.#provided++);
  }

  read(): Definition {
    const guid = providerGuid(this.#provider);
    if (!isGuidText(guid)) throw this.#error(this.#provider, `has the guid "${guid}", which is not a GUID.`);
    for (const { tag } of this.#elements) if (!KNOWN.has(tag.name)) throw unsupported(tag);
    for (const { tag } of this.#all('channel')) this.#channels.set(required(tag, 'chid'), this.#channel(tag));
    for (const map of this.#all('valueMap', 'bitMap'))
      this.#maps.set(required(map.tag, 'name'), this.#map(map));
    for (const template of this.#all('template'))
      this.#templates.set(required(template.tag, 'tid'), this.#template(template));
    for (const { tag } of this.#all('task'))
      this.#tasks.set(required(tag, 'name'), this.#named(tag, 'task', 16));
    for (const opcode of this.#all('opcode')) this.#addOpcode(opcode);
    for (const { tag } of this.#all('level'))
      this.#levels.set(required(tag, 'name'), this.#named(tag, 'level', 8));
    for (const { tag } of this.#all('keyword')) this.#keywords.set(required(tag, 'name'), this.#keyword(tag));
    const events = this.#all('event').map(({ tag }) => this.#event(tag));
    return {
      name: required(this.#provider, 'name'),
      guid,
      message: this.#message,
      channels: [...this.#channels.values()],
      maps: [...this.#maps.values()],
      templates: [...this.#templates.values()],
      opcodes: [...this.#opcodes.values()],
      levels: [...this.#levels.values()],
      tasks: [...this.#tasks.values()],
      keywords: [...this.#keywords.values()],
      events,
      messages: this.#messages.texts(),
    };
  }

  #all(...names: string[]): Element[] {
    return this.#elements.filter(({ tag }) => names.includes(tag.name));
  }

  #channel(tag: Tag): Channel {
    return {
      name: required(tag, 'name'),
      value: number(tag, 'value', 8),
      message: this.#messages.of(tag, 'provider', this.#provided++),
      keyword: 1n << BigInt(63 - this.#channels.size),
    };
  }

  #map({ tag, children }: Element): ValueNames {
    const kind = tag.name as 'valueMap' | 'bitMap';
    return {
      name: required(tag, 'name'),
      isBits: kind === 'bitMap',
      entries: children.map(({ tag: entry }) => ({
        value: number(entry, 'value', 32),
        message: this.#messages.of(entry, kind, this.#mapped[kind]++),
      })),
    };
  }

  #template({ children }: Element): Template {
    const names = children.map(({ tag }) => required(tag, 'name'));
    return { items: children.map(({ tag }) => this.#item(tag, names)) };
  }

  #item(tag: Tag, names: readonly string[]): Item {
    const { outType, map, count, length } = tag.attributes;
    const name = required(tag, 'name');
    const inType = inTypeNumber(localName(required(tag, 'inType')));
    const out = inType && outTypeNumber(outType === undefined ? undefined : localName(outType), inType);
    if (inType === undefined || out === undefined) {
      const type = `${tag.attributes.inType}${outType === undefined ? '' : ` and ${outType}`}`;
      throw this.#error(tag, `has the type ${type}, which cannot be compiled.`);
    }
    if (count !== undefined) throw this.#error(tag, 'has a count, which cannot be compiled.');
    if (name.length > 0xffff)
      throw this.#error(tag, `has a name of ${name.length} characters, which is too long.`);
    return {
      name,
      inType,
      outType: out,
      map: map === undefined ? undefined : this.#find(tag, 'map', this.#maps, map),
      length: length === undefined ? undefined : this.#length(tag, length, names),
    };
  }

  #length(tag: Tag, length: string, names: readonly string[]): Item['length'] {
    const item = names.indexOf(length);
    return item < 0 ? number(tag, 'length', 16) : { item };
  }

  #addOpcode({ tag, parent }: Element): void {
    const task = parent?.parent?.tag.name === 'task' ? parent.parent.tag : undefined;
    const name = required(tag, 'name');
    if (task === undefined) this.#opcodes.set(name, { ...this.#named(tag, 'opcode', 8), task: 0 });
    else {
      const number = (this.#tasks.get(required(task, 'name')) as Named).value;
      const key = `${required(task, 'name')} ${name}`;
      this.#opcodes.set(key, { ...this.#named(tag, 'opcode', 8, (number & 0xff) << 16), task: number });
    }
  }

  /** @param others bits of the message's number besides the value */
  #named(tag: Tag, kind: 'opcode' | 'level' | 'task', bits: number, others = 0): Named {
    const value = number(tag, 'value', bits);
    return { name: required(tag, 'name'), value, message: this.#messages.of(tag, kind, others | value) };
  }

  #keyword(tag: Tag): Keyword {
    const mask = integer(tag, 'mask');
    const highest = mask.toString(2).length;
    return { name: required(tag, 'name'), mask, message: this.#messages.of(tag, 'keyword', highest) };
  }

  #event(tag: Tag): EventDefinition {
    const { version, channel, level, opcode, task, keywords = '', template } = tag.attributes;
    const id = number(tag, 'value', 16);
    const versionNumber = version === undefined ? 0 : number(tag, 'version', 8);
    return {
      id,
      version: versionNumber,
      message: this.#messages.of(tag, 'event', (versionNumber << 16) | id),
      channel: channel === undefined ? undefined : this.#find(tag, 'channel', this.#channels, channel),
      level: level === undefined ? undefined : this.#level(tag, level),
      opcode: opcode === undefined ? undefined : this.#opcode(tag, opcode, task),
      task: task === undefined ? undefined : this.#find(tag, 'task', this.#tasks, task),
      keywords: (keywords.match(/\S+/g) ?? []).map((name) =>
        this.#find(tag, 'keyword', this.#keywords, name),
      ),
      template: template === undefined ? undefined : this.#find(tag, 'template', this.#templates, template),
    };
  }

  #level(tag: Tag, name: string): Named {
    this.#addStandard('level', this.#levels, STANDARD_LEVELS, name, {});
    return this.#find(tag, 'level', this.#levels, name);
  }

  #opcode(tag: Tag, name: string, task: string | undefined): Opcode {
    const own = task === undefined ? undefined : this.#opcodes.get(`${task} ${name}`);
    if (own !== undefined) return own;
    this.#addStandard('opcode', this.#opcodes, STANDARD_OPCODES, name, { task: 0 });
    return this.#find(tag, 'opcode', this.#opcodes, name);
  }

  /** Adds what an event uses without a definition. */
  #addStandard<Rest>(
    kind: 'level' | 'opcode',
    all: Map<string, Named & Rest>,
    standards: ReadonlyMap<string, Standard>,
    name: string,
    rest: Rest,
  ): void {
    const standard = standards.get(name);
    if (standard === undefined || all.has(name)) return;
    const { value, text } = standard;
    all.set(name, { name, value, message: this.#messages.standard(kind, value, text), ...rest });
  }

  #find<Thing>(tag: Tag, kind: string, all: ReadonlyMap<string, Thing>, name: string): Thing {
    const found = all.get(name);
    if (found === undefined) throw this.#error(tag, `has the ${kind} "${name}", which is not declared.`);
    return found;
  }

  #error(tag: Tag, problem: string): ManifestError {
    return new ManifestError(tag.offset, `A <${tag.name}> ${problem}`);
  }
}

const KNOWN: ReadonlySet<string> = new Set(
  (
    'channels channel maps valueMap bitMap map templates template data tasks task opcodes opcode levels level keywords ' +
    'keyword events event'
  ).split(' '),
);

function unsupported(tag: Tag): ManifestError {
  return new ManifestError(tag.offset, `A <${tag.name}> cannot be compiled.`);
}

/** @throws ManifestError if the attribute has more bits */
function number(tag: Tag, key: string, bits: number): number {
  const value = integer(tag, key);
  if (value >> BigInt(bits) !== 0n) {
    throw new ManifestError(
      tag.offset,
      `A <${tag.name}> has the ${key} ${value}, which has more than ${bits} bits.`,
    );
  }
  return Number(value);
}
