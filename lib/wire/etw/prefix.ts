/**
 * What precedes the payload of an ETW event in the scratch buffer. It is not part of the event: it tells the addon what
 * to pass to EventWriteTransfer, and is the same for TraceLogging and manifest events.
 *
 * | offset | |
 * |---|---|
 * | 0 | size of the event metadata, u16 little-endian; 0 if a manifest describes the event |
 * | 2 | which ids there are: 1 activity id, 2 related activity id |
 * | 3 | 0 |
 * | 4 | activity id, 16 bytes in struct order; zeros if there is none |
 * | 20 | related activity id, the same |
 * | 36 | event metadata, then the payload |
 */
import type { Prefixes, SetActivityIds } from '../event-encoder.ts';
import type { GuidWords } from '../guid.ts';

/** The event metadata starts here. */
export const METADATA_OFFSET = 36;

const ID_FLAGS_OFFSET = 2;
const ACTIVITY_ID_OFFSET = 4;
const RELATED_ID_OFFSET = 20;

const IdFlag = { Activity: 1, Related: 2 } as const;

export function etwPrefixes(metadata: Uint8Array): Prefixes {
  return {
    plain: etwPrefix(0, metadata),
    withActivity: etwPrefix(IdFlag.Activity, metadata),
    withRelated: etwPrefix(IdFlag.Activity | IdFlag.Related, metadata),
  };
}

function etwPrefix(idFlags: number, metadata: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(METADATA_OFFSET + metadata.length);
  new DataView(bytes.buffer).setUint16(0, metadata.length, true);
  bytes[ID_FLAGS_OFFSET] = idFlags;
  bytes.set(metadata, METADATA_OFFSET);
  return bytes;
}

export const setEtwActivityIds: SetActivityIds = (view, activityId, relatedActivityId) => {
  setGuid(view, ACTIVITY_ID_OFFSET, activityId);
  if (relatedActivityId !== undefined) setGuid(view, RELATED_ID_OFFSET, relatedActivityId);
};

function setGuid(view: DataView, offset: number, guid: GuidWords): void {
  view.setInt32(offset, guid.w0, true);
  view.setInt32(offset + 4, guid.w1, true);
  view.setInt32(offset + 8, guid.w2, true);
  view.setInt32(offset + 12, guid.w3, true);
}
