/** Finds for an event's record what its names are, and how to read its payload. */
import type { Payload } from '../../wire/decoded-field.ts';
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
import type { EtlRecord } from '../../wire/etl/record-cursor.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { classicEvent, kernelEvent, kernelGroupGuid } from '../../wire/known/kernel.ts';
import { OPCODE_NAMES } from '../../wire/manifest/constants.ts';
import { decodePacked } from '../../wire/packed/decode.ts';
import type { EventDescription } from '../../wire/packed/field.ts';
import type { EventDescriptions } from './descriptions.ts';
import { decodeSelfDescribed, SelfDescriptions } from './self-described.ts';

const KERNEL_PROVIDER = 'Windows Kernel';
/** Of messages without GUID. */
const UNKNOWN_PROVIDER = 'Unknown';

export interface DecodedPayload {
  readonly payload: Payload;
  readonly problem?: string;
}

export interface DescribedEvent {
  readonly provider: string;
  readonly providerGuid: string | undefined;
  readonly name: string;
  readonly taskName: string | undefined;
  readonly opcodeName: string | undefined;
  decode(bytes: Uint8Array, pointerSize: 4 | 8): DecodedPayload;
}

export class EventDescriber {
  readonly #descriptions: EventDescriptions;
  readonly #self = new SelfDescriptions();

  constructor(descriptions: EventDescriptions) {
    this.#descriptions = descriptions;
  }

  describe(record: EtlRecord, items: readonly ExtendedItem[]): DescribedEvent {
    switch (layoutKind(record)) {
      case Layout.Event:
        return this.#event(record, items);
      case Layout.Classic:
        return this.#classic(record);
      case Layout.Message:
        return this.#message(record);
      default:
        return kernel(record);
    }
  }

  #event(record: EtlRecord, items: readonly ExtendedItem[]): DescribedEvent {
    const provider = this.#descriptions.providerAt(record, providerGuidOffset(record));
    const opcodeName = OPCODE_NAMES.get(opcodeOf(record))?.replace('win:', '');
    const schema = itemOf(items, ExtendedType.EventSchema);
    const id = idNumberOf(record);
    const version = versionOf(record);
    if (schema === undefined) {
      const description = provider.describe(id, version);
      const names = {
        provider: provider.name,
        providerGuid: provider.guid,
        name: `EventID(${id})`,
        opcodeName,
      };
      return described(names, description, `event ${id} (version ${version}) of ${provider.name}`);
    }
    const traits = itemOf(items, ExtendedType.ProviderTraits);
    const name = traits === undefined ? undefined : this.#self.providerName(itemBytes(record, traits));
    const heads = {
      provider: name ?? provider.name,
      providerGuid: provider.guid,
      taskName: undefined,
      opcodeName,
    };
    const metadata = this.#self.event(itemBytes(record, schema));
    if ('problem' in metadata) {
      const { problem } = metadata;
      return { ...heads, name: `EventID(${id})`, decode: () => ({ payload: Object.create(null), problem }) };
    }
    return { ...heads, name: metadata.name, decode: (bytes) => decodeSelfDescribed(metadata, bytes) };
  }

  #classic(record: EtlRecord): DescribedEvent {
    const { guid, name: provider } = this.#descriptions.providerAt(record, providerGuidOffset(record));
    const opcode = opcodeOf(record);
    const version = versionOf(record);
    const names = { provider, providerGuid: guid, name: `Opcode(${opcode})`, opcodeName: undefined };
    const description = classicEvent(guid, opcode, version);
    return described(names, description, `opcode ${opcode} (version ${version}) of the class ${guid}`);
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
    return described(names, undefined, `message ${number} (WPP): the symbols of its program would`);
  }
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
 * @param names what to say where no description says it
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
      payload: Object.create(null),
      // What has no bytes lacks no fields.
      ...(bytes.length === 0 ? {} : { problem }),
    });
    return { ...names, taskName: undefined, decode };
  }
  const { provider, name, taskName, opcodeName, fields } = description;
  return {
    provider: provider ?? names.provider,
    providerGuid: names.providerGuid,
    name,
    taskName,
    opcodeName: opcodeName ?? names.opcodeName,
    decode: (bytes, pointerSize) => decodePacked(fields, bytes, pointerSize),
  };
}
