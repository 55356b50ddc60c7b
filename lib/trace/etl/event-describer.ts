/** Looks up the names for an event's record, and how to read its payload. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import type { EtlRecord } from '../../wire/etl/buffer.ts';
import { ExtendedType } from '../../wire/etl/constants.ts';
import { type ExtendedItem, itemBytes, itemOf } from '../../wire/etl/extended-items.ts';
import {
  groupOf,
  idNumberOf,
  layoutKind,
  opcodeOf,
  providerGuidOffset,
  versionOf,
} from '../../wire/etl/record.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { classicEvent, kernelEvent, kernelGroupGuid } from '../../wire/known/kernel.ts';
import { decodePacked } from '../../wire/packed/decode.ts';
import type { EventDescription } from '../../wire/packed/field.ts';
import { hexFieldsOf } from '../../wire/packed/hex-fields.ts';
import { formatMessage } from '../../wire/packed/message.ts';
import { opcodeNameOf, taskNameOf } from '../names.ts';
import type { DescribedProvider } from './described-provider.ts';
import type { EventDescriptions } from './descriptions.ts';
import { decodeSelfDescribed, SelfDescriptions } from './self-described.ts';

const KERNEL_PROVIDER = 'Windows Kernel';
/** For messages without a GUID. */
const UNKNOWN_PROVIDER = 'Unknown';

export interface DecodedPayload {
  readonly payload: Payload;
  readonly problem?: string;
  /** The maximum number of values. */
  readonly values: number;
}

export interface DescribedEvent {
  readonly provider: string;
  readonly providerGuid: string | undefined;
  readonly name: string;
  readonly taskName: string | undefined;
  readonly opcodeName: string | undefined;
  decode(bytes: Uint8Array, pointerSize: 4 | 8): DecodedPayload;
  /** See `TraceEvent.hexFields`. */
  readonly hexFields?: ReadonlySet<string>;
  /** See `TraceEvent.message`. */
  message?(payload: Payload): string;
}

/** What applies to all events alike, by what distinguishes them. */
type DescribedEvents = Map<number, DescribedEvent>;

export class EventDescriber {
  readonly #descriptions: EventDescriptions;
  readonly #self = new SelfDescriptions();
  readonly #kernelEvents: DescribedEvents = new Map();
  readonly #providerEvents = new Map<DescribedProvider, DescribedEvents>();

  constructor(descriptions: EventDescriptions) {
    this.#descriptions = descriptions;
  }

  /** Call this only when the index is complete, because it caches its answers. */
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

  #manifestEvent(record: EtlRecord): DescribedEvent {
    const provider = this.#descriptions.providerAt(record, providerGuidOffset(record));
    const id = idNumberOf(record);
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
    const name = traits === undefined ? undefined : this.#self.providerName(itemBytes(record, traits));
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
      const names = { provider: name, providerGuid: guid, name: `Opcode(${opcode})`, opcodeName: undefined };
      const description = classicEvent(guid, opcode, version);
      return described(names, description, `opcode ${opcode} (version ${version}) of the class ${guid}`);
    });
  }

  #message(record: EtlRecord): DescribedEvent {
    const offset = providerGuidOffset(record);
    const guid = offset === 0 ? undefined : this.#descriptions.providerAt(record, offset).guid;
    const number = idNumberOf(record);
    const names = {
      provider: guid ?? UNKNOWN_PROVIDER,
      providerGuid: guid,
      name: `EventID(${number})`,
      opcodeName: undefined,
    };
    return described(
      names,
      undefined,
      `message ${number} (WPP), which only the symbols of its program describe`,
    );
  }

  #eventsOf(provider: DescribedProvider): DescribedEvents {
    let events = this.#providerEvents.get(provider);
    if (events === undefined) {
      events = new Map();
      this.#providerEvents.set(provider, events);
    }
    return events;
  }
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
  const names = {
    provider: KERNEL_PROVIDER,
    providerGuid: kernelGroupGuid(group),
    name: `Opcode(${opcode})`,
    opcodeName: undefined,
  };
  const description = kernelEvent(group, opcode, version);
  return described(
    names,
    description,
    `opcode ${opcode} (version ${version}) of the kernel's group ${group}`,
  );
}

/**
 * @param names to use if there is no description
 * @param event for the problem: what is not described
 */
function described(
  names: Pick<DescribedEvent, 'provider' | 'providerGuid' | 'name' | 'opcodeName'>,
  description: EventDescription | undefined,
  event: string,
): DescribedEvent {
  if (description === undefined) {
    const problem = `Nothing describes ${event}.`;
    const decode = (bytes: Uint8Array): DecodedPayload => ({
      payload: new EmptyPayload(),
      values: 0,
      // If there are no bytes, no fields are missing.
      ...(bytes.length === 0 ? {} : { problem }),
    });
    return { ...names, taskName: undefined, decode };
  }
  const { provider, name, taskName, opcodeName, fields, message } = description;
  return {
    provider: provider ?? names.provider,
    providerGuid: names.providerGuid,
    name,
    taskName,
    opcodeName: opcodeName ?? names.opcodeName,
    hexFields: hexFieldsOf(fields),
    decode: (bytes, pointerSize) => decodePacked(fields, bytes, pointerSize),
    ...(message === undefined ? {} : { message: (payload) => formatMessage(description, payload) }),
  };
}
