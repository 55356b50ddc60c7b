/**
 * The resource WEVT_TEMPLATE: a provider in the binary form in which Windows reads manifests. All offsets are from its
 * beginning.
 *
 * Source: libfwevt's "Windows Event manifest binary format", and what Windows' message compiler has written into
 * node.exe.
 */
import { ByteWriter } from '../../../base/byte-writer.ts';
import { guidBytes } from '../../guid.ts';
import type { Definition, EventDefinition, Item, Keyword, Template, ValueNames } from './definition.ts';
import { templateId, templateXml } from './template-xml.ts';

const MAJOR_VERSION = 5;
const MINOR_VERSION = 1;
const PROVIDER_OFFSET = 36;
/** This number in `PRVA` marks the provider's name. */
const PROVIDER_NAME = 0x1000_0001;
const VALUE_MAP = 0;
const BIT_MAP = 1;
/** This kind of template has the XML of `EventData`. */
const EVENT_DATA = 1;
const FIXED_LENGTH = 2;
const LENGTH_OF_ITEM = 4;

/** The numbers of the parts. */
const PART = { LEVL: 0, TASK: 1, OPCO: 2, KEYW: 3, EVNT: 4, CHAN: 5, MAPS: 6, TTBL: 7, PRVA: 13 };

export function wevtTemplate(definition: Definition): Uint8Array {
  return new TemplateWriter(definition).write();
}

class TemplateWriter {
  readonly #out = new ByteWriter();
  readonly #definition: Definition;
  /** Other things refer to these by their offsets. */
  readonly #offsets = new Map<object, number>();

  constructor(definition: Definition) {
    this.#definition = definition;
  }

  write(): Uint8Array {
    const { guid, message } = this.#definition;
    const out = this.#out;
    this.#signature('CRIM').uint32(0).uint16(MAJOR_VERSION).uint16(MINOR_VERSION).uint32(1);
    out.bytes(guidBytes(guid)).uint32(PROVIDER_OFFSET);
    const parts = this.#parts();
    this.#signature('WEVT').uint32(0).uint32(message).uint32(parts.length);
    const table = out.length;
    for (const [name] of parts) out.uint32(PART[name]).uint32(0);
    for (const [index, [name, write]] of parts.entries()) {
      if (name === 'EVNT') out.pad(8);
      this.#patch(table + 8 * index + 4, out.length);
      write();
    }
    this.#patch(4, out.length);
    this.#patch(PROVIDER_OFFSET + 4, out.length - PROVIDER_OFFSET);
    // As the message compiler ends it.
    return out.uint16(0).copy();
  }

  /** Those that refer to others come after them. */
  #parts(): [keyof typeof PART, () => void][] {
    const { channels, maps, templates, opcodes, levels, tasks, keywords, events } = this.#definition;
    const parts: [keyof typeof PART, readonly object[], () => void][] = [
      ['CHAN', channels, () => this.#channels()],
      ['MAPS', maps, () => this.#maps(maps)],
      ['TTBL', templates, () => this.#templates(templates)],
      ['PRVA', [this], () => this.#providerName()],
      ['OPCO', [opcodes], () => this.#opcodes()],
      ['LEVL', [levels], () => this.#levels()],
      ['TASK', [tasks], () => this.#tasks()],
      ['KEYW', [keywords], () => this.#keywords()],
      ['EVNT', events, () => this.#events(events)],
    ];
    return parts.filter(([, items]) => items.length > 0).map(([name, , write]) => [name, write]);
  }

  #channels(): void {
    this.#list('CHAN', this.#definition.channels, 4, ({ value, message }) =>
      this.#out.uint32(0).uint32(0).uint32(value).uint32(message),
    );
  }

  #opcodes(): void {
    const { opcodes } = this.#definition;
    const sorted = opcodes.toSorted((a, b) => a.value - b.value || a.task - b.task);
    this.#list('OPCO', sorted, 8, ({ value, task, message }) =>
      this.#out.uint16(task).uint16(value).uint32(message).uint32(0),
    );
  }

  #levels(): void {
    const sorted = this.#definition.levels.toSorted((a, b) => a.value - b.value);
    this.#list('LEVL', sorted, 8, ({ value, message }) => this.#out.uint32(value).uint32(message).uint32(0));
  }

  #tasks(): void {
    this.#list('TASK', this.#definition.tasks, 24, ({ value, message }) =>
      this.#out.uint32(value).uint32(message).bytes(new Uint8Array(20)),
    );
  }

  #keywords(): void {
    this.#list('KEYW', this.#definition.keywords.toSorted(byMask), 12, ({ mask, message }) =>
      this.#out.uint64(mask).uint32(message).uint32(0),
    );
  }

  /**
   * Entries, and their names.
   *
   * @param nameAt where in an entry the offset of its name is
   */
  #list<Entry extends { readonly name: string }>(
    signature: string,
    entries: readonly Entry[],
    nameAt: number,
    write: (entry: Entry) => void,
  ): void {
    const start = this.#block(signature, entries.length);
    this.#named(entries, nameAt, write);
    if (entries.length > 0) this.#end(start);
  }

  #named<Entry extends { readonly name: string }>(
    entries: readonly Entry[],
    nameAt: number,
    write: (entry: Entry) => void,
  ): void {
    for (const entry of entries) {
      this.#mark(entry);
      write(entry);
    }
    for (const entry of entries) {
      this.#patch(this.#offsetOf(entry) + nameAt, this.#out.length);
      this.#name(entry.name);
    }
  }

  #maps(maps: readonly ValueNames[]): void {
    const out = this.#out;
    const start = this.#block('MAPS', maps.length);
    const table = out.length;
    for (const _ of maps) out.uint32(0);
    this.#named(maps, 8, ({ isBits, entries }) => {
      this.#signature(isBits ? 'BMAP' : 'VMAP');
      out.uint32(20 + 8 * entries.length).uint32(0);
      out.uint32(isBits ? BIT_MAP : VALUE_MAP).uint32(entries.length);
      for (const { value, message } of entries.toSorted((a, b) => a.value - b.value)) {
        out.uint32(value).uint32(message);
      }
    });
    const sorted = maps.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, map] of sorted.entries()) this.#patch(table + 4 * index, this.#offsetOf(map));
    this.#end(start);
  }

  #templates(templates: readonly Template[]): void {
    const start = this.#block('TTBL', templates.length);
    for (const template of templates) this.#template(template);
    this.#end(start);
  }

  #template(template: Template): void {
    const out = this.#out;
    const { items } = template;
    this.#mark(template);
    const start = this.#block('TEMP', items.length);
    out.uint32(items.length).uint32(0).uint32(EVENT_DATA).bytes(templateId(items)).bytes(templateXml(items));
    this.#patch(start + 16, out.length);
    this.#named(items, 16, (item) => this.#item(item));
    this.#end(start);
  }

  #item({ inType, outType, map, length }: Item): void {
    const flags = length === undefined ? 0 : typeof length === 'number' ? FIXED_LENGTH : LENGTH_OF_ITEM;
    const size = typeof length === 'object' ? length.item : (length ?? 0);
    const out = this.#out.uint32(flags).uint8(inType).uint8(outType).uint16(0);
    out.uint32(this.#offsetOf(map)).uint16(0).uint16(size).uint32(0);
  }

  #providerName(): void {
    const start = this.#block('PRVA', 1);
    this.#out
      .uint32(PROVIDER_NAME)
      .uint32(start + 20)
      .utf16(`${this.#definition.name}\0`)
      .pad(4);
    this.#end(start);
  }

  #events(events: readonly EventDefinition[]): void {
    const out = this.#out;
    const sorted = events.toSorted((a, b) => a.id - b.id);
    const start = this.#block('EVNT', events.length);
    out.uint32(0);
    const first = out.length;
    for (const event of sorted) this.#event(event);
    for (const [index, { keywords }] of sorted.entries()) {
      if (keywords.length > 0) this.#patch(first + 48 * index + 40, out.length);
      for (const keyword of keywords.toSorted(byMask)) out.uint32(this.#offsetOf(keyword));
    }
    this.#end(start);
  }

  #event({ id, version, channel, level, opcode, task, keywords, template, message }: EventDefinition): void {
    const out = this.#out
      .uint16(id)
      .uint8(version)
      .uint8(channel?.value ?? 0);
    out.uint8(level?.value ?? 0).uint8(opcode?.value ?? 0);
    out
      .uint16(task?.value ?? 0)
      .uint64(keywords.reduce((all, { mask }) => all | mask, channel?.keyword ?? 0n));
    out.uint32(message).uint32(this.#offsetOf(template)).uint32(this.#offsetOf(opcode));
    out.uint32(this.#offsetOf(level)).uint32(this.#offsetOf(task));
    out.uint32(keywords.length).uint32(0).uint32(this.#offsetOf(channel));
  }

  /** @returns where the block starts, for `#end`, which writes its size */
  #block(signature: string, count: number): number {
    const start = this.#out.length;
    this.#signature(signature).uint32(0).uint32(count);
    return start;
  }

  #end(start: number): void {
    this.#patch(start + 4, this.#out.length - start);
  }

  #signature(signature: string): ByteWriter {
    return this.#out.bytes(Buffer.from(signature, 'latin1'));
  }

  #name(name: string): void {
    const start = this.#out.length;
    this.#out.uint32(0).utf16(`${name}\0`).pad(4);
    this.#patch(start, this.#out.length - start);
  }

  #mark(thing: object): void {
    this.#offsets.set(thing, this.#out.length);
  }

  #offsetOf(thing: object | undefined): number {
    return thing === undefined ? 0 : (this.#offsets.get(thing) ?? 0);
  }

  #patch(at: number, value: number): void {
    this.#out.view.setUint32(at, value, true);
  }
}

function byMask(a: Keyword, b: Keyword): number {
  return a.mask < b.mask ? -1 : 1;
}
