/**
 * What precedes an event's payload: the fixed header, the activity extension if there is one, and the metadata
 * extension. Except for the activity ids, it is the same for every event of a definition.
 *
 * Source: LinuxTracepoints `eventheader.h`. Little-endian, packed; ids are 16 bytes in the order of their text (RFC
 * 4122), not that of a GUID structure.
 */
import type { GuidWords } from '../guid.ts';
import {
  EXTENSION_CHAIN_FLAG,
  EXTENSION_HEAD_SIZE,
  ExtensionKind,
  HEADER_SIZE,
  HeaderFlag,
} from './constants.ts';

/** The header's numbers. */
interface HeaderFields {
  readonly id: number;
  readonly version: number;
  readonly tag: number;
  readonly opcode: number;
  readonly level: number;
}

/** The size of the activity ids: none, the activity's, or the activity's and the related one's. */
export type ActivityIdsSize = 0 | 16 | 32;

/** The position of the activity ids in a prefix that has room for them. */
const ACTIVITY_IDS_OFFSET = HEADER_SIZE + EXTENSION_HEAD_SIZE;

/** The prefix, with zeros for the activity ids. */
export function encodePrefix(
  header: HeaderFields,
  activityIdsSize: ActivityIdsSize,
  metadata: Uint8Array,
): Uint8Array {
  const activitySize = activityIdsSize === 0 ? 0 : EXTENSION_HEAD_SIZE + activityIdsSize;
  const bytes = new Uint8Array(HEADER_SIZE + activitySize + EXTENSION_HEAD_SIZE + metadata.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, HeaderFlag.Pointer64 | HeaderFlag.LittleEndian | HeaderFlag.Extension);
  view.setUint8(1, header.version);
  view.setUint16(2, header.id, true);
  view.setUint16(4, header.tag, true);
  view.setUint8(6, header.opcode);
  view.setUint8(7, header.level);
  let offset = HEADER_SIZE;
  if (activityIdsSize !== 0) {
    view.setUint16(offset, activityIdsSize, true);
    view.setUint16(offset + 2, ExtensionKind.ActivityId | EXTENSION_CHAIN_FLAG, true);
    offset += activitySize;
  }
  view.setUint16(offset, metadata.length, true);
  view.setUint16(offset + 2, ExtensionKind.Metadata, true);
  bytes.set(metadata, offset + EXTENSION_HEAD_SIZE);
  return bytes;
}

/** Puts the ids into a prefix with room for them, at `offset` in the view. */
export function setActivityIds(
  view: DataView,
  offset: number,
  activityId: GuidWords,
  relatedActivityId: GuidWords | undefined,
): void {
  setGuid(view, offset + ACTIVITY_IDS_OFFSET, activityId);
  if (relatedActivityId !== undefined) setGuid(view, offset + ACTIVITY_IDS_OFFSET + 16, relatedActivityId);
}

/** Writes the GUID in the order of its text: the first three groups are swapped from memory order. */
function setGuid(view: DataView, offset: number, guid: GuidWords): void {
  view.setInt32(offset, guid.w0, false);
  view.setInt16(offset + 4, guid.w1, false);
  view.setInt16(offset + 6, guid.w1 >> 16, false);
  view.setInt32(offset + 8, guid.w2, true);
  view.setInt32(offset + 12, guid.w3, true);
}
