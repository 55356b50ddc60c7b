/**
 * Encodes events of one definition into the scratch buffer, as a single user_events write: 4 bytes for the kernel's
 * write index, then header, activity ids, metadata and payload.
 */
import { EventEncoder, type SetActivityIds } from '../event-encoder.ts';
import { compilePayloadWriter, type ValueSchema } from '../payload-writer.ts';
import type { EventSchema, FieldSchema } from '../schema.ts';
import { WRITE_INDEX_SIZE } from '../user-events.ts';
import type { ValueWriter } from '../values/faults.ts';
import { Encoding } from './constants.ts';
import { FIELD_LAYOUTS, type FieldLayout, nullableLayout } from './field-layouts.ts';
import { encodeMetadata, type FieldMetadata } from './metadata.ts';
import { type ActivityIdsSize, encodePrefix, setActivityIds } from './prefix.ts';

const valueWriterOf = (field: ValueSchema): ValueWriter => layoutOf(field).write;

export class EventHeaderEncoder extends EventEncoder {
  constructor(schema: EventSchema) {
    const metadata = eventMetadata(schema);
    const prefix = (size: ActivityIdsSize) => withWriteIndex(encodePrefix(schema, size, metadata));
    const prefixes = { plain: prefix(0), withActivity: prefix(16), withRelated: prefix(32) };
    const writeFields = compilePayloadWriter(schema.fields, valueWriterOf);
    super(prefixes, setIdsBehindWriteIndex, writeFields);
  }
}

/** The size of the smallest event including ids, to which the whole payload is added. */
export function eventHeaderSize(schema: EventSchema): number {
  return encodePrefix(schema, 32, eventMetadata(schema)).length;
}

function eventMetadata(schema: EventSchema): Uint8Array {
  return encodeMetadata(schema.name, schema.fields.map(fieldMetadata));
}

const setIdsBehindWriteIndex: SetActivityIds = (view, activityId, relatedActivityId) =>
  setActivityIds(view, WRITE_INDEX_SIZE, activityId, relatedActivityId);

function withWriteIndex(prefix: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(WRITE_INDEX_SIZE + prefix.length);
  bytes.set(prefix, WRITE_INDEX_SIZE);
  return bytes;
}

function fieldMetadata(schema: FieldSchema): FieldMetadata {
  return {
    name: schema.name,
    ...(schema.type === 'struct'
      ? { encoding: Encoding.Struct, fields: schema.fields.map(fieldMetadata) }
      : valueMetadata(layoutOf(schema))),
    ...(schema.array ? { array: 'variable' } : {}),
    ...(schema.tag === undefined ? {} : { tag: schema.tag }),
  };
}

function valueMetadata({ encoding, format }: FieldLayout): Omit<FieldMetadata, 'name'> {
  return { encoding, format };
}

function layoutOf(schema: ValueSchema): FieldLayout {
  const layout = FIELD_LAYOUTS[schema.type];
  return schema.nullable ? nullableLayout(layout) : layout;
}
