/** Metadata of versions 3 and 4: the payload of an event whose own metadata id is 0. */
import { TraceError } from '../trace-error.ts';
import { MetadataTag, TypeCode } from './constants.ts';
import type { Cursor } from './cursor.ts';
import { fixedSize, MAX_TYPE_DEPTH, type NetTraceField, type NetTraceType } from './field-type.ts';
import type { NetTraceMetadata } from './metadata.ts';

interface Described {
  readonly opcode: number | undefined;
  readonly fields: readonly NetTraceField[];
  readonly fieldsProblem: string | undefined;
}

/** @throws TraceError if not even the event's names and numbers can be read */
export function readMetadataV4(cursor: Cursor): NetTraceMetadata {
  const id = cursor.int32();
  const provider = cursor.utf16();
  const eventId = cursor.int32();
  const name = cursor.utf16();
  const keywords = cursor.uint64();
  const version = cursor.int32();
  const level = cursor.int32();
  return {
    id,
    provider,
    providerGuid: undefined,
    eventId,
    name,
    keywords,
    version,
    level,
    ...readDescription(cursor),
    messageTemplate: undefined,
    description: undefined,
    properties: new Map(),
  };
}

/** An event whose fields cannot be read remains an event; for runtime events, the known descriptions apply. */
function readDescription(cursor: Cursor): Described {
  let opcode: number | undefined;
  try {
    let fields: readonly NetTraceField[] = cursor.left > 0 ? readFields(cursor, 0) : [];
    while (cursor.left > 0) {
      const size = cursor.uint32();
      const tag = cursor.uint8();
      const part = cursor.part(size);
      if (tag === MetadataTag.Opcode) opcode = part.uint8();
      else if (tag === MetadataTag.V2Params) fields = readSizedFields(part, 0);
    }
    return { opcode, fields, fieldsProblem: undefined };
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    return {
      opcode,
      fields: [],
      fieldsProblem: `The description of the fields is damaged: ${error.message}`,
    };
  }
}

/** Type, then name. */
function readFields(cursor: Cursor, depth: number): readonly NetTraceField[] {
  const fields: NetTraceField[] = [];
  for (let left = readCount(cursor); left > 0; left--) {
    const code = cursor.int32();
    const type =
      code === TypeCode.Object
        ? { code, fields: readFields(cursor, deeper(cursor, depth)) }
        : plainType(cursor, code);
    fields.push({ name: cursor.utf16(), type });
  }
  return fields;
}

/** Reads the tag V2Params: each field has its size including itself, its name, then its type. */
function readSizedFields(cursor: Cursor, depth: number): readonly NetTraceField[] {
  const fields: NetTraceField[] = [];
  for (let left = readCount(cursor); left > 0; left--) {
    const size = cursor.uint32();
    if (size < 4) cursor.fail(`A field's description cannot have ${size} bytes.`);
    const part = cursor.part(size - 4);
    fields.push({ name: part.utf16(), type: readSizedType(part, depth) });
  }
  return fields;
}

function readSizedType(cursor: Cursor, depth: number): NetTraceType {
  const code = cursor.int32();
  if (code === TypeCode.Array) return { code, element: readSizedType(cursor, deeper(cursor, depth)) };
  if (code === TypeCode.Object) return { code, fields: readSizedFields(cursor, deeper(cursor, depth)) };
  return plainType(cursor, code);
}

function plainType(cursor: Cursor, code: number): NetTraceType {
  const type = { code };
  const isKnown =
    code <= TypeCode.Utf16Text && (code === TypeCode.Utf16Text || fixedSize(type) !== undefined);
  return isKnown ? type : cursor.fail(`The field type ${code} does not exist.`);
}

/** Every field takes some bytes, so an excessive count ends with the description. */
function readCount(cursor: Cursor): number {
  const count = cursor.int32();
  return count >= 0 ? count : cursor.fail(`An event cannot have ${count} fields.`);
}

function deeper(cursor: Cursor, depth: number): number {
  if (depth < MAX_TYPE_DEPTH) return depth + 1;
  return cursor.fail(`Types are nested more than ${MAX_TYPE_DEPTH} levels deep.`);
}
