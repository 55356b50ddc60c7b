/**
 * Opens an EventHeader event: its header, its extensions, and the contents of its tracepoint name. The metadata and the
 * payload are located, but not read yet.
 *
 * Layout: header of 8 bytes, extensions (size u16, kind u16, bytes) while the chain flag is set, payload. Numbers are
 * in the event's byte order. Source: LinuxTracepoints `eventheader.h`.
 */
import { indexOfNul, uuidText, viewOf } from '../bytes.ts';
import {
  EXTENSION_CHAIN_FLAG,
  EXTENSION_HEAD_SIZE,
  ExtensionKind,
  HEADER_SIZE,
  HeaderFlag,
} from './constants.ts';
import type { EventBytes } from './decode-fields.ts';
import { EventHeaderError, EventHeaderErrorCode } from './error.ts';
import { parseTracepointName, type TracepointNameParts } from './tracepoint-name-parse.ts';

const KNOWN_FLAGS = HeaderFlag.Pointer64 | HeaderFlag.LittleEndian | HeaderFlag.Extension;

/** An event whose fields have not been read yet. */
export interface OpenedEvent extends TracepointNameParts, EventBytes {
  /** See `HeaderFlag`. */
  readonly flags: number;
  readonly version: number;
  /** 0 for none; then `version` is meaningless. */
  readonly id: number;
  /** 16 bits. */
  readonly tag: number;
  readonly opcode: number;
  /** Lower-case GUID text. */
  readonly activityId: string | undefined;
  readonly relatedActivityId: string | undefined;
  /** The content of the metadata extension. */
  readonly metadata: Uint8Array;
}

/**
 * @param tracepointName without the system: `Provider_L4K1`
 * @param data from the header on; may include what follows the payload
 * @throws EventHeaderError
 */
export function openEventHeader(tracepointName: string, data: Uint8Array): OpenedEvent {
  return openEventOf(tracepointName, parseTracepointName(tracepointName), data);
}

/**
 * The same with the parts of the tracepoint name, which a reader of many events parses once.
 *
 * @param nameParts the result of `parseTracepointName`
 * @throws EventHeaderError
 */
export function openEventOf(
  tracepointName: string,
  nameParts: TracepointNameParts | undefined,
  data: Uint8Array,
): OpenedEvent {
  if (data.length < HEADER_SIZE) {
    throw new EventHeaderError(
      EventHeaderErrorCode.InvalidParameter,
      data.length,
      `An event has a header of ${HEADER_SIZE} bytes, but there are only ${data.length}.`,
    );
  }
  const view = viewOf(data);
  const flags = view.getUint8(0);
  if ((flags & ~KNOWN_FLAGS) !== 0) {
    throw new EventHeaderError(
      EventHeaderErrorCode.NotSupported,
      0,
      `The header has unknown flags: 0x${flags.toString(16)}.`,
    );
  }
  const littleEndian = (flags & HeaderFlag.LittleEndian) !== 0;
  const level = view.getUint8(7);
  if (nameParts === undefined || nameParts.level !== level) {
    throw new EventHeaderError(
      EventHeaderErrorCode.NotSupported,
      7,
      nameParts === undefined
        ? `"${tracepointName}" is not the name of an EventHeader tracepoint.`
        : `The header's level is ${level}, but the tracepoint is "${tracepointName}".`,
    );
  }
  const extensions = readExtensions(data, littleEndian, (flags & HeaderFlag.Extension) !== 0);
  // Named one by one: spreading would cost more than everything else here.
  return {
    provider: nameParts.provider,
    level,
    keyword: nameParts.keyword,
    options: nameParts.options,
    flags,
    version: view.getUint8(1),
    id: view.getUint16(2, littleEndian),
    tag: view.getUint16(4, littleEndian),
    opcode: view.getUint8(6),
    data,
    littleEndian,
    metadata: extensions.metadata,
    metadataOffset: extensions.metadataOffset,
    payloadOffset: extensions.payloadOffset,
    activityId: extensions.activityId,
    relatedActivityId: extensions.relatedActivityId,
  };
}

interface Extensions {
  readonly metadata: Uint8Array;
  readonly metadataOffset: number;
  readonly payloadOffset: number;
  readonly activityId: string | undefined;
  readonly relatedActivityId: string | undefined;
}

function readExtensions(data: Uint8Array, littleEndian: boolean, hasExtensions: boolean): Extensions {
  const view = viewOf(data);
  let metadata: Uint8Array | undefined;
  let metadataOffset = 0;
  let activityIds: Uint8Array | undefined;
  let offset = HEADER_SIZE;
  for (let hasNext = hasExtensions; hasNext; ) {
    if (data.length - offset < EXTENSION_HEAD_SIZE) throw bad(offset, 'The event ends before its extension.');
    const size = view.getUint16(offset, littleEndian);
    const kind = view.getUint16(offset + 2, littleEndian);
    const contentOffset = offset + EXTENSION_HEAD_SIZE;
    const content = data.subarray(contentOffset, contentOffset + size);
    if (content.length < size) throw bad(offset, `The event ends inside an extension of ${size} bytes.`);
    switch (kind & ~EXTENSION_CHAIN_FLAG) {
      case ExtensionKind.Invalid:
        throw bad(offset, 'An extension has kind 0, which is invalid.');
      case ExtensionKind.Metadata:
        if (metadata !== undefined) throw bad(offset, 'The event has two metadata extensions.');
        metadata = content;
        metadataOffset = contentOffset;
        break;
      case ExtensionKind.ActivityId:
        if (activityIds !== undefined) throw bad(offset, 'The event has two activity extensions.');
        if (size !== 16 && size !== 32)
          throw bad(offset, `An activity extension has ${size} bytes, not 16 or 32.`);
        activityIds = content;
        break;
    }
    offset = contentOffset + size;
    hasNext = (kind & EXTENSION_CHAIN_FLAG) !== 0;
  }
  if (metadata === undefined) {
    throw new EventHeaderError(
      EventHeaderErrorCode.NotSupported,
      offset,
      'The event has no metadata extension, so its fields are unknown.',
    );
  }
  if (indexOfNul(metadata, 0, metadata.length) < 0) throw bad(metadataOffset, "The event's name has no end.");
  return {
    metadata,
    metadataOffset,
    payloadOffset: offset,
    activityId: activityIds && uuidText(activityIds.subarray(0, 16)),
    relatedActivityId: activityIds?.length === 32 ? uuidText(activityIds.subarray(16)) : undefined,
  };
}

function bad(offset: number, message: string): EventHeaderError {
  return new EventHeaderError(EventHeaderErrorCode.BadMessage, offset, message);
}
