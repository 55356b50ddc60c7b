/** Rows of version 6's metadata block. */
import { guidBytes } from '../../guid.ts';
import { MetadataEntry, TypeCode } from '../constants.ts';
import type { NetTraceField, NetTraceType } from '../field-type.ts';
import type { NetTraceBytes } from './byte-writer.ts';
import { writeSized16 } from './sized-part.ts';
import type { WrittenMetadata } from './trace-parts.ts';

/** The length to which long names are cut, in characters: four such names in UTF-8 fit into a row. */
const SHORT_NAME = 4000;

/** Adds the row to a block. If it would be too large, it contains only the names and numbers. */
export function writeMetadataRowV6(block: NetTraceBytes, id: number, metadata: WrittenMetadata): void {
  if (writeSized16(block, () => writeRow(block, id, metadata))) return;
  const { messageTemplate: _, description: __, properties: ___, ...described } = metadata;
  if (writeSized16(block, () => writeRow(block, id, described))) return;
  const provider = metadata.provider.slice(0, SHORT_NAME);
  const name = metadata.name.slice(0, SHORT_NAME);
  writeSized16(block, () => writeRow(block, id, { ...described, provider, name, fields: [] }));
}

function writeRow(bytes: NetTraceBytes, id: number, metadata: WrittenMetadata): boolean {
  bytes.varUint(id);
  bytes.utf8(metadata.provider);
  bytes.varUint(metadata.eventId >>> 0);
  bytes.utf8(metadata.name);
  return writeFields(bytes, metadata.fields) && writeSized16(bytes, () => writeOptional(bytes, metadata));
}

/** @returns false if a description would be too large for its size field */
function writeFields(bytes: NetTraceBytes, fields: readonly NetTraceField[]): boolean {
  if (fields.length > 0xffff) return false;
  bytes.uint16(fields.length);
  return fields.every(({ name, type }) =>
    writeSized16(bytes, () => {
      bytes.utf8(name);
      return writeType(bytes, type);
    }),
  );
}

function writeType(bytes: NetTraceBytes, type: NetTraceType): boolean {
  bytes.uint8(type.code);
  switch (type.code) {
    case TypeCode.Object:
      return writeFields(bytes, type.fields ?? []);
    case TypeCode.Array:
    case TypeCode.RelLoc:
    case TypeCode.DataLoc:
      return writeType(bytes, type.element as NetTraceType);
    case TypeCode.FixedArray: {
      const isWritten = writeType(bytes, type.element as NetTraceType);
      bytes.uint16(type.count ?? 0);
      return isWritten;
    }
    default:
      return true;
  }
}

function writeOptional(bytes: NetTraceBytes, metadata: WrittenMetadata): boolean {
  const { opcode, keywords, messageTemplate, description, providerGuid, level, version } = metadata;
  if (opcode !== undefined) writeByte(bytes, MetadataEntry.Opcode, opcode);
  if (keywords !== 0n) {
    bytes.uint8(MetadataEntry.Keywords);
    bytes.uint64(keywords);
  }
  if (messageTemplate !== undefined) {
    bytes.uint8(MetadataEntry.MessageTemplate);
    bytes.utf8(messageTemplate);
  }
  if (description !== undefined) {
    bytes.uint8(MetadataEntry.Description);
    bytes.utf8(description);
  }
  for (const [key, value] of metadata.properties ?? []) {
    bytes.uint8(MetadataEntry.KeyValue);
    bytes.utf8(key);
    bytes.utf8(value);
  }
  if (providerGuid !== undefined) {
    bytes.uint8(MetadataEntry.ProviderGuid);
    bytes.bytes(guidBytes(providerGuid));
  }
  if (level !== 0) writeByte(bytes, MetadataEntry.Level, level);
  if (version !== 0) writeByte(bytes, MetadataEntry.Version, version);
  return true;
}

function writeByte(bytes: NetTraceBytes, entry: number, value: number): void {
  bytes.uint8(entry);
  bytes.uint8(value);
}
