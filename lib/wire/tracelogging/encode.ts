/**
 * Encodes events of one definition into the scratch buffer for EventWriteTransfer: the instructions for the addon (see
 * `etw/prefix.ts`), then event metadata and payload.
 */
import { Channel, encodeEventDescriptor } from '../etw/event-descriptor.ts';
import { etwPrefixes, setEtwActivityIds } from '../etw/prefix.ts';
import { EventEncoder } from '../event-encoder.ts';
import { compilePayloadWriter, type ValueSchema } from '../payload-writer.ts';
import { type EventSchema, type FieldSchema, mostDescriptionBytes } from '../schema.ts';
import type { ValueWriter } from '../values/faults.ts';
import { InType, MAX_DECODABLE_FIELDS, MAX_METADATA_SIZE } from './constants.ts';
import { FIELD_LAYOUTS, type FieldLayout, nullableLayout } from './field-layouts.ts';
import { encodeMetadata, type FieldMetadata } from './metadata.ts';

const valueWriterOf = (field: ValueSchema): ValueWriter => layoutOf(field).write;

export class TraceLoggingEncoder extends EventEncoder {
  /** @param schema must have no `traceLoggingProblem` */
  constructor(schema: EventSchema) {
    const payloadWriter = compilePayloadWriter(schema.fields, valueWriterOf);
    super(etwPrefixes(eventMetadata(schema)), setEtwActivityIds, payloadWriter);
  }
}

/** The 16 bytes of the event's EVENT_DESCRIPTOR. */
export function traceLoggingDescriptor(schema: EventSchema): Uint8Array {
  return encodeEventDescriptor({ ...schema, channel: Channel.TraceLogging });
}

/**
 * Why TraceLogging cannot represent the event so that decoders can read it, as the rest of a sentence about it;
 * undefined if it can.
 */
export function traceLoggingProblem(schema: EventSchema): string | undefined {
  const fields = countFields(schema.fields);
  if (fields > MAX_DECODABLE_FIELDS) {
    return (
      `decoders of TraceLogging support ${MAX_DECODABLE_FIELDS} fields, this event has ${fields} ` +
      '(structs and their fields count as one each, and arrays as two).'
    );
  }
  if (mostDescriptionBytes(schema) <= MAX_METADATA_SIZE) return undefined;
  const { length } = eventMetadata(schema);
  if (length > MAX_METADATA_SIZE) {
    return `its names and types take ${length} bytes, more than the ${MAX_METADATA_SIZE} that TraceLogging allows.`;
  }
  return undefined;
}

function eventMetadata(schema: EventSchema): Uint8Array {
  return encodeMetadata(schema.name, schema.tag, schema.fields.map(fieldMetadata));
}

function fieldMetadata(schema: FieldSchema): FieldMetadata {
  return {
    name: schema.name,
    ...(schema.type === 'struct'
      ? { inType: InType.Struct, fields: schema.fields.map(fieldMetadata) }
      : valueMetadata(layoutOf(schema))),
    ...(schema.array ? { array: 'variable' } : {}),
    ...(schema.tag === undefined ? {} : { tag: schema.tag }),
  };
}

function valueMetadata({ inType, outType }: FieldLayout): Omit<FieldMetadata, 'name'> {
  return { inType, outType };
}

function layoutOf(schema: ValueSchema): FieldLayout {
  const layout = FIELD_LAYOUTS[schema.type];
  return schema.nullable ? nullableLayout(layout) : layout;
}

function countFields(fields: readonly FieldSchema[]): number {
  return fields.reduce(
    (count, field) =>
      count + (field.array ? 2 : 1) + (field.type === 'struct' ? countFields(field.fields) : 0),
    0,
  );
}
