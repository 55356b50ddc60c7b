/**
 * What a manifest cannot describe, as the rest of a sentence about the event or the source. Check this before encoding
 * or generating.
 */
import type { EventSchema, FieldSchema } from '../schema.ts';
import { channelPathProblem, channelProblem } from './channels.ts';
import { LEVEL_NAMES, MANIFEST_EVENT_ID } from './constants.ts';
import { FIELD_LAYOUTS, sizeFieldName } from './field-layouts.ts';
import { type ManifestSource, namedIn } from './generate.ts';
import { insertProblem, messagesProblem } from './strings.ts';
import { canStandInXml } from './xml.ts';

/** Why a manifest cannot describe the event; undefined if it can. */
export function manifestProblem(schema: EventSchema): string | undefined {
  if (!canStandInXml(schema.name)) return nameProblem('event name', schema.name);
  if (schema.message !== undefined && !canStandInXml(schema.message)) {
    return nameProblem('message', schema.message);
  }
  if (schema.id === MANIFEST_EVENT_ID) {
    return `the id ${schema.id} is reserved for the event that carries the manifest.`;
  }
  if (schema.level >= LEVEL_NAMES.length) {
    return `the level ${schema.level} has no name in a manifest; only those up to ${LEVEL_NAMES.length - 1} do.`;
  }
  const inserted = schema.message === undefined ? undefined : insertProblem(schema.message, schema);
  if (inserted !== undefined) return `the message ${inserted}`;
  const unfit = channelProblem(schema);
  if (unfit !== undefined) return unfit;
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
    return cannot('a struct', 'make its members fields of the event, or use self-describing events');
  }
  if (field.array) return cannot('an array', 'use binary or json, or self-describing events');
  if (field.nullable) return cannot('nullable', 'omit the "?", or use self-describing events');
  const mapNames =
    field.map === undefined ? [] : [field.map.name, ...field.map.names.map(([, name]) => name)];
  const bad = mapNames.find((name) => !canStandInXml(name));
  if (bad !== undefined) return nameProblem('map name', bad);
  if (FIELD_LAYOUTS[field.type] === undefined) {
    return cannot(`of type ${field.type}`, 'use string, or self-describing events');
  }
  const sizeName = sizeFieldName(field.name);
  if (field.type === 'binary' && fields.some((other) => other.name === sizeName)) {
    return `the field "${sizeName}" has the name that a manifest uses for the size of "${field.name}".`;
  }
  return undefined;
}

/** Why a manifest cannot describe what the events have in common; undefined if it can. */
export function manifestSourceProblem(source: ManifestSource): string | undefined {
  const { name, events, keywordNames, messages = {} } = source;
  const problem = manifestNamesProblem(name, keywordNames);
  if (problem !== undefined) return problem;
  const pathProblem = events.some(({ channel }) => channel !== undefined)
    ? channelPathProblem(name)
    : undefined;
  return pathProblem ?? messagesProblem(namedIn(source), messages);
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
      return `the keyword "${name}" contains a space, which separates keywords in a manifest.`;
  }
  return undefined;
}

function nameProblem(what: string, name: string): string {
  return `the ${what} ${JSON.stringify(name)} contains a character that XML, and so a manifest, does not allow.`;
}
