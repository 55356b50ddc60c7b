/**
 * Compiles the fields of an event into the function that writes a payload of it.
 */
import type { FieldSchema } from '../schema.ts';
import { Encoding } from './constants.ts';
import { FIELD_LAYOUTS, nullableLayout } from './field-layouts.ts';
import type { FieldMetadata } from './metadata.ts';
import {
  array,
  type FieldsWriter,
  isArrayLike,
  type Payload,
  struct,
  takeFaults,
  type ValueWriter,
} from './values.ts';

/** A value that does not fit its field. */
export interface BadValue {
  /** The field's name; for one of a struct, of an array: `user.name`, `sizes[3]`. */
  readonly field: string;
  readonly type: string;
  readonly value: unknown;
}

interface CompiledField {
  readonly schema: FieldSchema;
  readonly metadata: FieldMetadata;
  readonly write: ValueWriter;
  /** The element's writer, for an array; else the same as `write`. */
  readonly writeElement: ValueWriter;
  /** The members of a struct. */
  readonly members: readonly CompiledField[];
}

export interface CompiledFields {
  readonly metadata: readonly FieldMetadata[];
  /** Writes the fields of the payload at the offset; returns the offset behind them. */
  readonly write: FieldsWriter;
  /** Encodes the payload again at the offset, value by value, to find those that do not fit. */
  findBadValues(offset: number, payload: Payload): readonly BadValue[];
}

export function compileFields(fields: readonly FieldSchema[]): CompiledFields {
  const compiled = fields.map(compileField);
  return {
    metadata: compiled.map((field) => field.metadata),
    write: fieldsWriter(compiled),
    findBadValues: (offset, payload) =>
      compiled.flatMap((field) => badValuesOf(field, offset, field.schema.name, payload[field.schema.name])),
  };
}

function compileField(schema: FieldSchema): CompiledField {
  const { metadata, write, members } =
    schema.type === 'struct' ? compileStruct(schema.fields) : compileValue(schema);
  return {
    schema,
    metadata: { name: schema.name, ...metadata, ...(schema.array ? { array: 'variable' } : {}) },
    write: schema.array ? array(write) : write,
    writeElement: write,
    members,
  };
}

interface CompiledElement {
  readonly metadata: Omit<FieldMetadata, 'name'>;
  readonly write: ValueWriter;
  readonly members: readonly CompiledField[];
}

function compileStruct(fields: readonly FieldSchema[]): CompiledElement {
  const members = fields.map(compileField);
  return {
    metadata: { encoding: Encoding.Struct, fields: members.map((member) => member.metadata) },
    write: struct(fieldsWriter(members)),
    members,
  };
}

function compileValue(schema: Exclude<FieldSchema, { type: 'struct' }>): CompiledElement {
  const plain = FIELD_LAYOUTS[schema.type];
  const layout = schema.nullable ? nullableLayout(plain) : plain;
  return { metadata: { encoding: layout.encoding, format: layout.format }, write: layout.write, members: [] };
}

function badValuesOf(field: CompiledField, offset: number, name: string, value: unknown): BadValue[] {
  field.write(offset, value);
  if ((takeFaults()?.badValues ?? 0) === 0) return [];
  const type = field.schema.array ? `${field.schema.type} array` : field.schema.type;
  if (!field.schema.array) return badElements(field, offset, name, value);
  if (!isArrayLike(value)) return [{ field: name, type, value }];
  return Array.from(value).flatMap((element, index) =>
    badElements(field, offset, `${name}[${index}]`, element),
  );
}

function badElements(field: CompiledField, offset: number, name: string, value: unknown): BadValue[] {
  field.writeElement(offset, value);
  if ((takeFaults()?.badValues ?? 0) === 0) return [];
  if (field.members.length === 0 || typeof value !== 'object' || value === null) {
    return [{ field: name, type: field.schema.type, value }];
  }
  const payload = value as Payload;
  return field.members.flatMap((member) =>
    badValuesOf(member, offset, `${name}.${member.schema.name}`, payload[member.schema.name]),
  );
}

/**
 * One statement a field, so that V8 sees each property by name and each writer as a constant: a third less
 * than a loop over the fields costs (45 ns instead of 71 for three fields). Where code may not be made from
 * strings (`--disallow-code-generation-from-strings`), the loop does the same.
 */
function fieldsWriter(fields: readonly CompiledField[]): FieldsWriter {
  const statements = fields.map(
    (field, index) => `offset = write${index}(offset, payload[${JSON.stringify(field.schema.name)}]);`,
  );
  try {
    const make = new Function(
      ...fields.map((_, index) => `write${index}`),
      `return (offset, payload) => { ${statements.join(' ')} return offset; }`,
    );
    return make(...fields.map((field) => field.write)) as FieldsWriter;
  } catch {
    return (offset, payload) => {
      let end = offset;
      for (const field of fields) end = field.write(end, payload[field.schema.name]);
      return end;
    };
  }
}
