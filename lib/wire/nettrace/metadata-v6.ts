/** The metadata block of version 6: rows that each describe one kind of event. */

import { guidText } from '../guid.ts';
import { TraceError } from '../trace-error.ts';
import type { Block } from './block.ts';
import { MetadataEntry, TypeCode } from './constants.ts';
import { Cursor } from './cursor.ts';
import { fixedSize, MAX_TYPE_DEPTH, type NetTraceField, type NetTraceType } from './field-type.ts';
import type { NetTraceMetadata } from './metadata.ts';

interface MetadataRow {
  readonly metadata: NetTraceMetadata;
  /** The size is in bytes. */
  readonly size: number;
}

/** @throws TraceError */
export function* readMetadataBlock(block: Block): Generator<MetadataRow> {
  const cursor = new Cursor(block);
  cursor.skip(cursor.uint16());
  while (cursor.left > 0) {
    const size = cursor.uint16();
    yield { metadata: readRow(cursor.part(size)), size };
  }
}

function readRow(cursor: Cursor): NetTraceMetadata {
  const id = cursor.varUint32();
  const provider = cursor.utf8();
  const eventId = cursor.varUint32();
  const name = cursor.utf8();
  let fields: readonly NetTraceField[] = [];
  let fieldsProblem: string | undefined;
  let optional: OptionalMetadata = { properties: new Map() };
  try {
    fields = readFields(cursor, 0);
    optional = readOptional(cursor.part(cursor.uint16()));
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    // What follows cannot be located, but the event remains an event.
    fieldsProblem = `The description of the fields is damaged: ${error.message}`;
    fields = [];
  }
  return {
    id,
    provider,
    providerGuid: optional.providerGuid,
    eventId,
    name,
    keywords: optional.keywords ?? 0n,
    version: optional.version ?? 0,
    level: optional.level ?? 0,
    opcode: optional.opcode,
    fields,
    fieldsProblem,
    messageTemplate: optional.messageTemplate,
    description: optional.description,
    properties: optional.properties,
  };
}

function readFields(cursor: Cursor, depth: number): readonly NetTraceField[] {
  const fields: NetTraceField[] = [];
  for (let left = cursor.uint16(); left > 0; left--) {
    const part = cursor.part(cursor.uint16());
    fields.push({ name: part.utf8(), type: readType(part, depth) });
  }
  return fields;
}

function readType(cursor: Cursor, depth: number): NetTraceType {
  if (depth > MAX_TYPE_DEPTH) {
    return cursor.fail(`Types are nested more than ${MAX_TYPE_DEPTH} levels deep.`);
  }
  const code = cursor.uint8();
  switch (code) {
    case TypeCode.Object:
      return { code, fields: readFields(cursor, depth + 1) };
    case TypeCode.Array:
      return { code, element: readType(cursor, depth + 1) };
    case TypeCode.FixedArray:
      return { code, element: readType(cursor, depth + 1), count: cursor.uint16() };
    case TypeCode.RelLoc:
    case TypeCode.DataLoc: {
      const element = readType(cursor, depth + 1);
      if (!fixedSize(element)) cursor.fail(`Type ${element.code} has no size by which to count elements.`);
      return { code, element };
    }
    case TypeCode.Utf16Text:
    case TypeCode.VarInt:
    case TypeCode.VarUint:
      return { code };
    default:
      if (fixedSize({ code }) === undefined) cursor.fail(`The field type ${code} does not exist.`);
      return { code };
  }
}

interface OptionalMetadata {
  providerGuid?: string;
  opcode?: number;
  keywords?: bigint;
  level?: number;
  version?: number;
  messageTemplate?: string;
  description?: string;
  readonly properties: Map<string, string>;
}

function readOptional(cursor: Cursor): OptionalMetadata {
  const optional: OptionalMetadata = { properties: new Map() };
  while (cursor.left > 0) {
    const entry = cursor.uint8();
    switch (entry) {
      case MetadataEntry.Opcode:
        optional.opcode = cursor.uint8();
        break;
      case MetadataEntry.Keywords:
        optional.keywords = cursor.uint64();
        break;
      case MetadataEntry.MessageTemplate:
        optional.messageTemplate = cursor.utf8();
        break;
      case MetadataEntry.Description:
        optional.description = cursor.utf8();
        break;
      case MetadataEntry.KeyValue:
        optional.properties.set(cursor.utf8(), cursor.utf8());
        break;
      case MetadataEntry.ProviderGuid:
        optional.providerGuid = guidText(cursor.take(16));
        break;
      case MetadataEntry.Level:
        optional.level = cursor.uint8();
        break;
      case MetadataEntry.Version:
        optional.version = cursor.uint8();
        break;
      default:
        cursor.fail(`The entry ${entry} does not exist in an event description.`);
    }
  }
  return optional;
}
