/**
 * Turns the fields of a definition into the schema for encoders, and refuses what no decoder could read. Limits:
 * LinuxTracepoints' decoders (C++ and Rust), tested.
 */
import { MAX_STRUCT_DEPTH, MAX_STRUCT_FIELDS, MAX_TOP_LEVEL_FIELDS } from '../wire/eventheader/constants.ts';
import { COUNTED_TYPES, FIELD_TYPES, type FieldSchema, type FieldType } from '../wire/schema.ts';
import { nameProblem } from './definition-checks.ts';
import { DefinitionError } from './definition-error.ts';
import { FIELD_MAP, type MapDefinition } from './field-maps.ts';

/** @param place the event, as `Provider.Event` */
export function fieldSchemas(place: string, fields: unknown): FieldSchema[] {
  const schemas = structFields(place, fields, 0);
  if (schemas.length > MAX_TOP_LEVEL_FIELDS) {
    throw new DefinitionError(
      place,
      `an event may have at most ${MAX_TOP_LEVEL_FIELDS} fields, but this one has ${schemas.length}.`,
    );
  }
  return schemas;
}

function structFields(place: string, fields: unknown, depth: number): FieldSchema[] {
  if (!isObject(fields)) {
    throw new DefinitionError(place, `fields must be an object of names and types, not ${shown(fields)}.`);
  }
  return Object.entries(fields).map(([name, definition]) => {
    const fieldPlace = `${place}.${name}`;
    const problem = nameProblem(name);
    if (problem !== undefined)
      throw new DefinitionError(place, `the field name ${JSON.stringify(name)} ${problem}.`);
    return fieldSchema(fieldPlace, name, definition, depth);
  });
}

function fieldSchema(place: string, name: string, definition: unknown, depth: number): FieldSchema {
  if (typeof definition === 'string') return valueSchema(place, name, definition);
  if (Array.isArray(definition)) {
    if (definition.length === 1) {
      return (
        mapSchema(name, definition[0], true) ?? structSchema(place, name, definition[0], true, depth + 1)
      );
    }
    throw new DefinitionError(
      place,
      `an array of structs must be one struct in brackets, not ${definition.length} elements.`,
    );
  }
  const mapped = mapSchema(name, definition, false);
  if (mapped !== undefined) return mapped;
  return structSchema(place, name, definition, false, depth + 1);
}

function mapSchema(name: string, definition: unknown, array: boolean): FieldSchema | undefined {
  if (!isObject(definition) || !(FIELD_MAP in definition)) return undefined;
  const { type, map } = (definition as unknown as MapDefinition)[FIELD_MAP];
  return { name, type, nullable: false, array, map };
}

function structSchema(
  place: string,
  name: string,
  definition: unknown,
  array: boolean,
  depth: number,
): FieldSchema {
  if (!isObject(definition)) {
    throw new DefinitionError(place, `${shown(definition)} is not a field type. ${typesSentence()}`);
  }
  if (depth > MAX_STRUCT_DEPTH) {
    throw new DefinitionError(
      place,
      `structs may be nested at most ${MAX_STRUCT_DEPTH} levels deep, and this one is deeper.`,
    );
  }
  const fields = structFields(place, definition, depth);
  if (fields.length === 0) throw new DefinitionError(place, 'a struct needs at least one field.');
  if (fields.length > MAX_STRUCT_FIELDS) {
    throw new DefinitionError(
      place,
      `a struct may have at most ${MAX_STRUCT_FIELDS} fields, but this one has ${fields.length}.`,
    );
  }
  return { name, type: 'struct', fields, array };
}

function valueSchema(place: string, name: string, definition: string): FieldSchema {
  const array = definition.endsWith('[]');
  const element = array ? definition.slice(0, -2) : definition;
  const nullable = element.endsWith('?');
  const type = nullable ? element.slice(0, -1) : element;
  if (!isFieldType(type)) {
    throw new DefinitionError(place, `"${definition}" is not a field type. ${typesSentence()}`);
  }
  if (nullable && (COUNTED_TYPES as readonly string[]).includes(type)) {
    throw new DefinitionError(
      place,
      `a ${type} cannot be nullable: null would be encoded like an empty value. Omit the "?".`,
    );
  }
  return { name, type, nullable, array };
}

function isFieldType(type: string): type is FieldType {
  return (FIELD_TYPES as readonly string[]).includes(type);
}

function typesSentence(): string {
  return `The types are ${FIELD_TYPES.join(', ')}, each also as an array ("string[]").`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'an array';
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
