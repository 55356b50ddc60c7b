/** Events whose metadata describes their fields, and payloads decoded by it. */
import { Block } from '../../../lib/wire/nettrace/block.ts';
import type { NetTraceMetadata } from '../../../lib/wire/nettrace/metadata.ts';
import { decodePayload } from '../../../lib/wire/nettrace/payload.ts';
import {
  type Bytes,
  compressedEventV4,
  eventsOf,
  fastSerialized,
  flat,
  headV4,
  metadataBlock,
  metadataBlockV4,
  metadataRow,
  metadataV4,
  uncompressedBlock,
  uncompressedEvent,
  utf8,
  v6Trace,
} from './nettrace-bytes.ts';
/** The metadata of an event of version 6 with these fields. */
export function describedV6(fields: readonly Bytes[], optional: Bytes = []): NetTraceMetadata {
  const described = metadataBlock(metadataRow(2, 16, 'Described', fields, optional));
  const event = uncompressedBlock(uncompressedEvent({ time: 1, metadataId: 2 }));
  return eventsOf(v6Trace(described, event))[0]?.metadata as NetTraceMetadata;
}

/** The same of version 4. */
export function describedV4(...fieldsAndTags: Bytes): NetTraceMetadata {
  const described = metadataBlockV4(metadataV4(1, 16, 'Described', fieldsAndTags));
  const bytes = fastSerialized(4, described, ['EventBlock', headV4(1), compressedEventV4({ time: 1 })]);
  return eventsOf(bytes)[0]?.metadata as NetTraceMetadata;
}

/** The payload as decoded by the fields of `metadata`. */
export function decode(metadata: NetTraceMetadata, ...payload: Bytes) {
  const bytes = flat(payload);
  const { payload: decoded, problem } = decodePayload(
    metadata.fields,
    new Block(2, bytes, 0),
    0,
    bytes.length,
  );
  return { payload: { ...decoded }, problem };
}

/** A field's description of version 6. */
export const field = (name: string, ...type: Bytes): Bytes => [utf8(name), type];
