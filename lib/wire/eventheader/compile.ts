/**
 * The fields of an event as EventHeader describes them and writes them.
 */
import { compilePayloadWriter, type PayloadWriter, type ValueSchema } from '../payload-writer.ts';
import type { FieldSchema } from '../schema.ts';
import { Encoding } from './constants.ts';
import { FIELD_LAYOUTS, type FieldLayout, nullableLayout } from './field-layouts.ts';
import type { FieldMetadata } from './metadata.ts';

export function compileEventHeaderFields(fields: readonly FieldSchema[]): PayloadWriter {
  return compilePayloadWriter(fields, (schema) => layoutOf(schema).write);
}

export function fieldMetadata(schema: FieldSchema): FieldMetadata {
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
