/**
 * Encodes events of one definition into the scratch buffer, as a single user_events write: 4 bytes for the kernel's
 * write index, then header, activity ids, metadata and payload.
 */
import { EventEncoder, type SetActivityIds } from '../event-encoder.ts';
import { compilePayloadWriter, type PayloadWriter, type ValueSchema } from '../payload-writer.ts';
import type { EventSchema, FieldSchema } from '../schema.ts';
import { WRITE_INDEX_SIZE } from '../user-events.ts';
import { Encoding } from './constants.ts';
import { FIELD_LAYOUTS, type FieldLayout, nullableLayout } from './field-layouts.ts';
import { encodeMetadata, type FieldMetadata } from './metadata.ts';
import { type ActivityIdsSize, encodePrefix, setActivityIds } from './prefix.ts';

export class EventHeaderEncoder extends EventEncoder {
  constructor(schema: EventSchema) {
    const metadata = encodeMetadata(schema.name, schema.fields.map(fieldMetadata));
    const prefix = (size: ActivityIdsSize) => withWriteIndex(encodePrefix(schema, size, metadata));
    const prefixes = { plain: prefix(0), withActivity: prefix(16), withRelated: prefix(32) };
    super(prefixes, setIdsBehindWriteIndex, compileEventHeaderFields(schema.fields));
  }
}

const setIdsBehindWriteIndex: SetActivityIds = (view, activityId, relatedActivityId) =>
  setActivityIds(view, WRITE_INDEX_SIZE, activityId, relatedActivityId);

function withWriteIndex(prefix: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(WRITE_INDEX_SIZE + prefix.length);
  bytes.set(prefix, WRITE_INDEX_SIZE);
  return bytes;
}

/** The fields of an event, as EventHeader describes and writes them. */
function compileEventHeaderFields(fields: readonly FieldSchema[]): PayloadWriter {
  return compilePayloadWriter(fields, (schema) => layoutOf(schema).write);
}

function fieldMetadata(schema: FieldSchema): FieldMetadata {
  return {
    name: schema.name,
    ...(schema.type === 'struct'
      ? { encoding: Encoding.Struct, fields: schema.fields.map(fieldMetadata) }
      : valueMetadata(layoutOf(schema))),
    ...(schema.array ? { array: 'variable' } : {}),
  };
}

function valueMetadata({ encoding, format }: FieldLayout): Omit<FieldMetadata, 'name'> {
  return { encoding, format };
}

function layoutOf(schema: ValueSchema): FieldLayout {
  const layout = FIELD_LAYOUTS[schema.type];
  return schema.nullable ? nullableLayout(layout) : layout;
}
