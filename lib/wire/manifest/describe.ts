/**
 * Manifests of any origin as descriptions of events: .NET's EventSource writes them into traces, people write them for
 * Windows' message compiler, and tools generate them from what is registered in Windows. What does not affect payloads
 * (levels, keywords, channels) is ignored, so errors there do not matter.
 */
import { isGuidText } from '../guid.ts';
import type { EventDescription } from '../packed/field.ts';
import { OPCODE_NAMES } from './constants.ts';
import { ManifestError } from './error.ts';
import { eventNameOf, INFO } from './names.ts';
import {
  integer,
  messageOf,
  type ProviderSection,
  providerGuid,
  readSections,
  required,
} from './sections.ts';
import { TemplateReader } from './templates.ts';
import { localName, type Tag } from './xml.ts';

export interface ProviderDescription {
  readonly name: string;
  /** The text is in lower case, without braces. */
  readonly guid: string;
  /** Of two manifests of one provider, the one with the higher score describes more, as in PerfView. */
  readonly score: number;
  /** Returns the event of this version, or of the nearest lower one, since newer versions add fields at the end. */
  event(id: number, version: number): EventDescription | undefined;
}

export interface DescribeOptions {
  /** Leaves out events that cannot be described, as in manifests that other tools made from those of Windows. */
  readonly skipsBadEvents?: boolean;
}

/** Limits the names of tasks and opcodes: many events can have the same long one in their names. */
const MAX_NAME = 1024;

/** @throws ManifestError */
export function describeManifest(xml: string, options: DescribeOptions = {}): ProviderDescription[] {
  const { providers, strings } = readSections(xml);
  if (providers.length === 0) throw new ManifestError(0, 'The manifest has no provider.');
  return providers.map((provider) => new ManifestProvider(provider, strings, options));
}

interface DescribedVersion {
  readonly version: number;
  readonly description: EventDescription;
}

class ManifestProvider implements ProviderDescription {
  readonly name: string;
  readonly guid: string;
  readonly score: number;
  readonly #section: ProviderSection;
  readonly #strings: ReadonlyMap<string, string>;
  readonly #templates: TemplateReader;
  /** The key is the id; the newest version comes first. */
  readonly #events = new Map<number, DescribedVersion[]>();

  constructor(
    section: ProviderSection,
    strings: ReadonlyMap<string, string>,
    { skipsBadEvents = false }: DescribeOptions,
  ) {
    this.name = required(section.tag, 'name');
    this.guid = providerGuid(section.tag);
    if (!isGuidText(this.guid)) {
      const message = `The <provider> ${this.name} has the guid "${this.guid}", which is not a GUID.`;
      throw new ManifestError(section.tag.offset, message);
    }
    this.#section = section;
    this.#strings = strings;
    this.#templates = new TemplateReader(section, strings);
    let versions = 0;
    let maxId = 0;
    let firstProblem: ManifestError | undefined;
    for (const tag of section.events) {
      try {
        const id = Number(integer(tag, 'value'));
        const version = tag.attributes.version === undefined ? 0 : Number(integer(tag, 'version'));
        const described = { version, description: this.#describe(id, tag) };
        versions += version;
        maxId = Math.max(maxId, id);
        const others = this.#events.get(id);
        if (others === undefined) this.#events.set(id, [described]);
        else others.push(described);
      } catch (error) {
        if (!(skipsBadEvents && error instanceof ManifestError)) throw error;
        firstProblem ??= error;
      }
    }
    if (firstProblem !== undefined && this.#events.size === 0) throw firstProblem;
    for (const described of this.#events.values()) described.sort((a, b) => b.version - a.version);
    this.score = section.events.length + versions + 100 * maxId;
  }

  event(id: number, version: number): EventDescription | undefined {
    return this.#events.get(id)?.find((described) => described.version <= version)?.description;
  }

  #describe(id: number, tag: Tag): EventDescription {
    const { symbol, task, opcode, template } = tag.attributes;
    const message = messageOf(tag, this.#strings);
    const taskName = task === undefined ? undefined : this.#nameOf(this.#section.tasks.get(task)?.tag, task);
    const opcodeName = opcode === undefined ? INFO : this.#opcodeName(task, opcode);
    return {
      provider: this.name,
      name: symbol ?? eventNameOf(id, taskName, opcodeName),
      ...(taskName === undefined ? {} : { taskName }),
      opcodeName,
      fields: template === undefined ? [] : this.#templates.fieldsOf(template, tag),
      ...(message === undefined ? {} : { message }),
    };
  }

  #opcodeName(task: string | undefined, opcode: string): string {
    if (PREDEFINED_OPCODES.has(opcode)) return localName(opcode);
    const ownOpcodes = task === undefined ? undefined : this.#section.tasks.get(task)?.opcodes;
    return this.#nameOf(ownOpcodes?.get(opcode) ?? this.#section.opcodes.get(opcode), opcode);
  }

  /** Tools that read Windows' registrations know only the messages of tasks and opcodes, not the names. */
  #nameOf(tag: Tag | undefined, name: string): string {
    const message = tag === undefined ? undefined : messageOf(tag, this.#strings);
    // A message that is not in the string table says less than the name.
    return message === undefined || message === '' || message.startsWith('$(')
      ? localName(name).slice(0, MAX_NAME)
      : message.trim().slice(0, MAX_NAME);
  }
}

const PREDEFINED_OPCODES: ReadonlySet<string> = new Set(OPCODE_NAMES.values());
