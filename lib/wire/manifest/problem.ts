/**
 * What a manifest cannot describe, as the rest of a sentence about the event or the source. Whoever defines
 * events asks before it encodes or generates.
 */
import type { EventSchema, FieldSchema } from '../schema.ts';
import { LEVEL_NAMES, MANIFEST_EVENT_ID } from './constants.ts';
import { FIELD_LAYOUTS, sizeFieldName } from './field-layouts.ts';
import { canStandInXml } from './xml.ts';

/** Why the event cannot be described by a manifest; undefined if it can. */
export function manifestProblem(schema: EventSchema): string | undefined {
  if (!canStandInXml(schema.name)) return nameProblem('event name', schema.name);
  if (schema.message !== undefined && !canStandInXml(schema.message)) {
    return nameProblem('message', schema.message);
  }
  if (schema.id === MANIFEST_EVENT_ID) {
    return `the id ${schema.id} is that of the event which carries the manifest.`;
  }
  if (schema.level >= LEVEL_NAMES.length) {
    return `the level ${schema.level} has no name in a manifest; those up to ${LEVEL_NAMES.length - 1} have.`;
  }
  for (const field of schema.fields) {
    const problem = fieldProblem(field, schema.fields);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(field: FieldSchema, fields: readonly FieldSchema[]): string | undefined {
  const cannot = (what: string, instead: string) =>
    `the field "${field.name}" is ${what}, which events with a manifest cannot have; ${instead}.`;
  if (!canStandInXml(field.name)) return nameProblem('field name', field.name);
  if (field.type === 'struct') {
    return cannot('a struct', 'give its members as fields of the event, or describe events by themselves');
  }
  if (field.array) return cannot('an array', 'use binary or json, or describe events by themselves');
  if (field.nullable) return cannot('nullable', 'leave out the "?", or describe events by themselves');
  if (FIELD_LAYOUTS[field.type] === undefined) {
    return cannot(`of type ${field.type}`, 'use string, or describe events by themselves');
  }
  const sizeName = sizeFieldName(field.name);
  if (field.type === 'binary' && fields.some((other) => other.name === sizeName)) {
    return `the field "${sizeName}" has the name that a manifest gives to the size of "${field.name}".`;
  }
  return undefined;
}

/** Why a manifest cannot name the provider or its keywords; undefined if it can. */
export function manifestNamesProblem(
  provider: string,
  keywordNames: Readonly<Record<string, bigint>>,
): string | undefined {
  if (!canStandInXml(provider)) return nameProblem("provider's name", provider);
  for (const name of Object.keys(keywordNames)) {
    if (!canStandInXml(name)) return nameProblem('keyword', name);
    if (/\s/.test(name))
      return `the keyword "${name}" has a space, which in a manifest lies between keywords.`;
  }
  return undefined;
}

function nameProblem(what: string, name: string): string {
  return `the ${what} ${JSON.stringify(name)} has a character that XML, and so a manifest, has no place for.`;
}
