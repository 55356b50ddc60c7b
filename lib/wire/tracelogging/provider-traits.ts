/**
 * What ETW is told about a provider besides its GUID: the provider's name, and the GUID of a group of providers that
 * can be enabled together. Every TraceLogging event in a trace comes with these bytes.
 *
 * Layout: size u16 (of all), name UTF-8 NUL, then for each trait: size u16 (of all of it), type u8, data. Source:
 * Windows' `TraceLoggingProvider.h`.
 */
import { indexOfNul, viewOf } from '../../base/bytes.ts';
import { guidBytes, guidText } from '../guid.ts';
import { decodeUtf8 } from '../text.ts';
import { TraceLoggingError } from './error.ts';

const TRAIT_HEAD_SIZE = 3;
const TraitType = { GroupGuid: 1 } as const;
const GUID_SIZE = 16;

export interface ProviderTraits {
  /** The name has no NUL. */
  readonly name: string;
  /** The group's GUID as text. */
  readonly groupGuid?: string;
}

export function encodeProviderTraits({ name, groupGuid }: ProviderTraits): Uint8Array {
  const nameBytes = new TextEncoder().encode(name);
  const groupSize = groupGuid === undefined ? 0 : TRAIT_HEAD_SIZE + GUID_SIZE;
  const bytes = new Uint8Array(2 + nameBytes.length + 1 + groupSize);
  const view = viewOf(bytes);
  view.setUint16(0, bytes.length, true);
  bytes.set(nameBytes, 2);
  if (groupGuid !== undefined) {
    const offset = bytes.length - groupSize;
    view.setUint16(offset, groupSize, true);
    view.setUint8(offset + 2, TraitType.GroupGuid);
    bytes.set(guidBytes(groupGuid), offset + TRAIT_HEAD_SIZE);
  }
  return bytes;
}

/**
 * Reads a provider's name and group; traits of other types are skipped.
 *
 * @throws TraceLoggingError
 */
export function decodeProviderTraits(bytes: Uint8Array): ProviderTraits {
  const fail = (offset: number, message: string) => new TraceLoggingError('traits', offset, message);
  const view = viewOf(bytes);
  const size = bytes.length < 2 ? 0 : view.getUint16(0, true);
  if (size < 3 || size > bytes.length) {
    throw fail(0, `The provider traits give their size as ${size} of ${bytes.length} bytes.`);
  }
  const nameEnd = indexOfNul(bytes, 2, size);
  if (nameEnd < 0) throw fail(2, "The provider's name has no end.");
  const name = decodeUtf8(bytes.subarray(2, nameEnd));
  let groupGuid: string | undefined;
  for (let offset = nameEnd + 1; offset < size; ) {
    const traitSize = size - offset < TRAIT_HEAD_SIZE ? 0 : view.getUint16(offset, true);
    if (traitSize < TRAIT_HEAD_SIZE || traitSize > size - offset) {
      throw fail(offset, `A trait gives its size as ${traitSize} of ${size - offset} bytes.`);
    }
    const isGroup = view.getUint8(offset + 2) === TraitType.GroupGuid;
    if (isGroup && traitSize === TRAIT_HEAD_SIZE + GUID_SIZE) {
      groupGuid = guidText(bytes.subarray(offset + TRAIT_HEAD_SIZE, offset + traitSize));
    }
    offset += traitSize;
  }
  return groupGuid === undefined ? { name } : { name, groupGuid };
}
