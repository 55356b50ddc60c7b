/** Metadata of version 4: an event of the metadata block, whose payload describes other events. */
import { BlobFlag, MetadataTag, TypeCode } from '../constants.ts';
import type { NetTraceField, NetTraceType } from '../field-type.ts';
import { NetTraceBytes } from './byte-writer.ts';
import type { WrittenMetadata } from './trace-parts.ts';

/** Adds the row to a metadata block whose event headers are compressed. */
export function writeMetadataRowV4(block: NetTraceBytes, id: number, metadata: WrittenMetadata): void {
  const payload = new NetTraceBytes();
  payload.uint32(id);
  writeMetadataV4(payload, metadata);
  const timeDelta = 0;
  block.uint8(BlobFlag.PayloadSize);
  block.varUint(timeDelta);
  block.varUint(payload.length);
  block.bytes(payload.current());
}

/** Everything except the id. */
export function writeMetadataV4(bytes: NetTraceBytes, metadata: WrittenMetadata): void {
  const { fields, opcode } = metadata;
  bytes.utf16Terminated(metadata.provider);
  bytes.uint32(metadata.eventId);
  bytes.utf16Terminated(metadata.name);
  bytes.uint64(metadata.keywords);
  bytes.uint32(metadata.version);
  bytes.uint32(metadata.level);
  // Only the tag supports arrays, and it replaces the list.
  const needsTag = fields.some(({ type }) => hasArray(type));
  if (needsTag) bytes.uint32(0);
  else writeFields(bytes, fields);
  if (opcode !== undefined) {
    bytes.uint32(1);
    bytes.uint8(MetadataTag.Opcode);
    bytes.uint8(opcode);
  }
  if (!needsTag) return;
  const sizeAt = bytes.length;
  bytes.uint32(0);
  bytes.uint8(MetadataTag.V2Params);
  const start = bytes.length;
  writeSizedFields(bytes, fields);
  bytes.setUint32(sizeAt, bytes.length - start);
}

function hasArray({ code, fields }: NetTraceType): boolean {
  return code === TypeCode.Array || fields?.some(({ type }) => hasArray(type)) === true;
}

/** Type, then name. */
function writeFields(bytes: NetTraceBytes, fields: readonly NetTraceField[]): void {
  bytes.uint32(fields.length);
  for (const { name, type } of fields) {
    bytes.uint32(type.code);
    if (type.code === TypeCode.Object) writeFields(bytes, type.fields ?? []);
    bytes.utf16Terminated(name);
  }
}

/** Size including itself, name, then type. */
function writeSizedFields(bytes: NetTraceBytes, fields: readonly NetTraceField[]): void {
  bytes.uint32(fields.length);
  for (const { name, type } of fields) {
    const start = bytes.length;
    bytes.uint32(0);
    bytes.utf16Terminated(name);
    writeSizedType(bytes, type);
    bytes.setUint32(start, bytes.length - start);
  }
}

function writeSizedType(bytes: NetTraceBytes, type: NetTraceType): void {
  bytes.uint32(type.code);
  if (type.code === TypeCode.Object) writeSizedFields(bytes, type.fields ?? []);
  if (type.code === TypeCode.Array) writeSizedType(bytes, type.element as NetTraceType);
}

/** Whether version 4 can describe fields of this type. */
export function isTypeOfV4({ code, element, fields }: NetTraceType): boolean {
  if (code === TypeCode.Array) return element !== undefined && isTypeOfV4(element);
  return code <= TypeCode.Utf16Text && (fields ?? []).every(({ type }) => isTypeOfV4(type));
}
