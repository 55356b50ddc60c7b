/**
 * The description of an event in the tracepoint format's metadata: that of a .nettrace version 4, without its leading
 * id. The payload's fields are those of a .nettrace, too. Source: dotnet/runtime `ep-session.c`.
 */
import { Block } from '../nettrace/block.ts';
import { BlockKind } from '../nettrace/constants.ts';
import { Cursor } from '../nettrace/cursor.ts';
import type { NetTraceMetadata } from '../nettrace/metadata.ts';
import { readMetadataV4 } from '../nettrace/metadata-v4.ts';
import { NetTraceBytes } from '../nettrace/write/byte-writer.ts';
import { writeMetadataV4 } from '../nettrace/write/metadata-v4-row.ts';
import type { WrittenMetadata } from '../nettrace/write/trace-parts.ts';

const ID_SIZE = 4;

/** @throws TraceError if not even the event's names and numbers can be read */
export function readTracepointV1Metadata(bytes: Uint8Array): NetTraceMetadata {
  const withId = new Uint8Array(ID_SIZE + bytes.length);
  withId.set(bytes, ID_SIZE);
  return readMetadataV4(new Cursor(new Block(BlockKind.Metadata, withId, 0)));
}

export function tracepointV1Metadata(metadata: WrittenMetadata): Uint8Array {
  const bytes = new NetTraceBytes();
  writeMetadataV4(bytes, metadata);
  return bytes.take();
}
