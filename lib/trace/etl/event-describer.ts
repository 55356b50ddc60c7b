/** Looks up the names for an event's record, and how to read its payload. */

import { classicEvent, kernelClass, kernelEvent, kernelGroupGuid } from '../../known/kernel.ts';
import { EmptyPayload } from '../../wire/decoded-field.ts';
import type { EtlRecord } from '../../wire/etl/buffer.ts';
import { ExtendedType } from '../../wire/etl/constants.ts';
import { type ExtendedItem, itemBytes, itemOf } from '../../wire/etl/extended-items.ts';
import {
  groupOf,
  idNumberOf,
  isMessageEvent,
  layoutKind,
  opcodeOf,
  providerGuidOffset,
  versionOf,
} from '../../wire/etl/record.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { opcodeNameOf, taskNameOf } from '../names.ts';
import { type Labels, withGroup } from '../tag-labels.ts';
import { type DescribedEvent, described } from './described-event.ts';
import type { DescribedProvider } from './described-provider.ts';
import type { EventDescriptions } from './descriptions.ts';
import { describedMessage, type MessageDescriptions } from './message-descriptions.ts';
import { decodeSelfDescribed, SelfDescriptions } from './self-described.ts';

const KERNEL_PROVIDER = 'Windows Kernel';
/** Versions of the kernel's events only add fields. */
const REST = 'Rest';

/** What applies to all events alike, by what distinguishes them. */
type DescribedEvents = Map<number, DescribedEvent>;

export class EventDescriber {
  readonly #descriptions: EventDescriptions;
  readonly #self = new SelfDescriptions();
  readonly #kernelEvents: DescribedEvents = new Map();
  readonly #providerEvents = new Map<DescribedProvider, DescribedEvents>();
  readonly #messages: MessageDescriptions;
  readonly #messageEvents = new Map<DescribedProvider, DescribedEvents>();

  constructor(descriptions: EventDescriptions, messages: MessageDescriptions) {
    this.#descriptions = descriptions;
    this.#messages = messages;
  }

  /** Call this when there are more descriptions. */
  forget(): void {
    this.#providerEvents.clear();
  }

  /** Call this only when the index is complete, or call `forget`, because it caches its answers. */
  describe(record: EtlRecord, items: readonly ExtendedItem[]): DescribedEvent {
    switch (layoutKind(record)) {
      case Layout.Event: {
        const schema = itemOf(items, ExtendedType.EventSchema);
        return schema === undefined
          ? this.#manifestEvent(record)
          : this.#selfDescribed(record, items, schema);
      }
      case Layout.Classic:
        return this.#classic(record);
      case Layout.Message:
        return this.#message(record);
      default:
        return keptIn(this.#kernelEvents, kernelKeyOf(record), () => kernel(record));
    }
  }

  /** The tags of an event and its fields, and its provider's group. */
  labels(record: EtlRecord, items: readonly ExtendedItem[]): Labels | undefined {
    const schema = itemOf(items, ExtendedType.EventSchema);
    const traits = itemOf(items, ExtendedType.ProviderTraits);
    const metadata = schema && this.#self.event(itemBytes(record, schema));
    const tags = metadata === undefined || 'problem' in metadata ? undefined : metadata.labels;
    return withGroup(tags, traits && this.#self.provider(itemBytes(record, traits))?.groupGuid);
  }

  #manifestEvent(record: EtlRecord): DescribedEvent {
    const provider = this.#descriptions.providerAt(record, providerGuidOffset(record));
    const id = idNumberOf(record);
    if (isMessageEvent(record)) return this.#messageOf(provider, id);
    const version = versionOf(record);
    const opcode = opcodeOf(record);
    return keptIn(this.#eventsOf(provider), (id << 16) | (version << 8) | opcode, () => {
      const { name, guid: providerGuid } = provider;
      const names = {
        provider: name,
        providerGuid,
        name: `EventID(${id})`,
        opcodeName: opcodeNameOf(opcode),
      };
      return described(names, provider.describe(id, version), `event ${id} (version ${version}) of ${name}`);
    });
  }

  #selfDescribed(record: EtlRecord, items: readonly ExtendedItem[], schema: ExtendedItem): DescribedEvent {
    const opcode = opcodeOf(record);
    const provider = this.#descriptions.providerAt(record, providerGuidOffset(record));
    const traits = itemOf(items, ExtendedType.ProviderTraits);
    const name = traits === undefined ? undefined : this.#self.provider(itemBytes(record, traits))?.name;
    const heads = {
      provider: name ?? provider.name,
      providerGuid: provider.guid,
      taskName: undefined,
      opcodeName: opcodeNameOf(opcode),
    };
    const metadata = this.#self.event(itemBytes(record, schema));
    if ('problem' in metadata) {
      const { problem } = metadata;
      const name = `EventID(${idNumberOf(record)})`;
      return { ...heads, name, decode: () => ({ payload: new EmptyPayload(), problem, values: 0 }) };
    }
    const taskName = taskNameOf(metadata.name, opcode);
    return {
      ...heads,
      name: metadata.name,
      taskName,
      hexFields: metadata.hexFields,
      texts: metadata.texts,
      decode: (bytes) => decodeSelfDescribed(metadata, bytes),
    };
  }

  #classic(record: EtlRecord): DescribedEvent {
    const provider = this.#descriptions.providerAt(record, providerGuidOffset(record));
    const opcode = opcodeOf(record);
    const version = versionOf(record);
    // A GUID can be both a class and a provider: classes have the numbers below 0.
    return keptIn(this.#eventsOf(provider), ~((version << 8) | opcode), () => {
      const { name, guid } = provider;
      const names = unknownNames(kernelClass(guid)?.provider ?? name, guid, opcode);
      const description = classicEvent(guid, opcode, version);
      return described(
        names,
        description,
        `opcode ${opcode} (version ${version}) of the class ${guid}`,
        REST,
      );
    });
  }

  #message(record: EtlRecord): DescribedEvent {
    const offset = providerGuidOffset(record);
    const number = idNumberOf(record);
    if (offset === 0) return describedMessage(undefined, undefined, number);
    return this.#messageOf(this.#descriptions.providerAt(record, offset), number);
  }

  #messageOf(provider: DescribedProvider, number: number): DescribedEvent {
    const known = inMap(this.#messageEvents, provider);
    return keptIn(known, number, () =>
      describedMessage(this.#messages.of(provider.guid, number), provider.guid, number),
    );
  }

  #eventsOf(provider: DescribedProvider): DescribedEvents {
    return inMap(this.#providerEvents, provider);
  }
}

function inMap(all: Map<DescribedProvider, DescribedEvents>, provider: DescribedProvider): DescribedEvents {
  let events = all.get(provider);
  if (events === undefined) {
    events = new Map();
    all.set(provider, events);
  }
  return events;
}

function keptIn(events: DescribedEvents, key: number, describe: () => DescribedEvent): DescribedEvent {
  let event = events.get(key);
  if (event === undefined) {
    event = describe();
    events.set(key, event);
  }
  return event;
}

function kernelKeyOf(record: EtlRecord): number {
  return (groupOf(record) << 24) | (opcodeOf(record) << 16) | versionOf(record);
}

function kernel(record: EtlRecord): DescribedEvent {
  const group = groupOf(record);
  const opcode = opcodeOf(record);
  const version = versionOf(record);
  const names = unknownNames(KERNEL_PROVIDER, kernelGroupGuid(group), opcode);
  const description = kernelEvent(group, opcode, version);
  return described(
    names,
    description,
    `opcode ${opcode} (version ${version}) of the kernel's group ${group}`,
    REST,
  );
}

/** Names an event that only its class and its opcode tell. */
function unknownNames(provider: string, providerGuid: string | undefined, opcode: number) {
  const taskName = kernelClass(providerGuid)?.taskName;
  const name = `Opcode(${opcode})`;
  return {
    provider,
    providerGuid,
    name: taskName ? `${taskName}/${name}` : name,
    taskName,
    opcodeName: undefined,
  };
}
