/**
 * Turns the events of a definition into complete schemas: fills in .NET's defaults for id, opcode and task, and refuses
 * mistakes with one sentence that has the place and the value.
 */
import { shown } from '../base/value-text.ts';
import { type KeywordNames, type Keywords, keywordBits } from '../listen/filter.ts';
import { MAX_EVENT_NAME_BYTES, MAX_PROVIDER_AND_GROUP_LENGTH } from '../wire/eventheader/constants.ts';
import type { EventSchema, FieldSchema } from '../wire/schema.ts';
import { Channel, Level, Opcode } from './constants.ts';
import { checkOptionNames, integerOption, nameProblem } from './definition-checks.ts';
import { DefinitionError } from './definition-error.ts';
import type { EventDefinition, EventOptions } from './event.ts';
import { checkMapNames } from './field-maps.ts';
import { fieldSchemas, isObject } from './field-schemas.ts';
import type { FieldDefinitions } from './fields.ts';

/** ETW and .NET reserve the bits from here on for channels and sessions. */
const KEYWORD_LIMIT = 1n << 48n;
/** .NET: an event without a task gets this number minus its id. */
const DEFAULT_TASK_BASE = 0xfffe;

const EVENT_OPTIONS = [
  'level',
  'keywords',
  'opcode',
  'task',
  'tag',
  'fieldTags',
  'id',
  'version',
  'message',
  'channel',
  'activityOptions',
  'traceContext',
];

/** 28 bits. */
export const MAX_TAG = 0xfff_ffff;

/** The fields added by the `traceContext` option. */
const TRACE_FIELDS = { traceId: 'string', spanId: 'string', parentSpanId: 'string' } as const;

/**
 * @param reservedNames names that events must not have
 * @throws DefinitionError
 */
export function eventSchemas(
  provider: string,
  events: Readonly<Record<string, EventDefinition>>,
  keywordNames: KeywordNames,
  reservedNames: readonly string[],
): EventSchema[] {
  checkProviderName(provider);
  for (const [name, bits] of Object.entries(keywordNames))
    checkKeywords(`${provider}.keywords.${name}`, bits);
  if (typeof events !== 'object' || events === null || Array.isArray(events)) {
    throw new DefinitionError(provider, 'events must be an object of names and event(...) definitions.');
  }
  const schemas: EventSchema[] = [];
  for (const [name, definition] of Object.entries(events)) {
    schemas.push(eventSchema(provider, name, definition, keywordNames, reservedNames, schemas));
  }
  for (const schema of schemas) checkPair(provider, schema, schemas);
  checkMapNames(provider, schemas);
  return schemas;
}

function checkProviderName(provider: string): void {
  if (typeof provider !== 'string') {
    throw new DefinitionError(
      'defineEventSource',
      `the provider's name must be a string, not ${shown(provider)}.`,
    );
  }
  const problem = nameProblem(provider);
  if (problem !== undefined) {
    throw new DefinitionError(
      'defineEventSource',
      `the provider name ${JSON.stringify(provider)} ${problem}.`,
    );
  }
  if (provider.length > MAX_PROVIDER_AND_GROUP_LENGTH) {
    throw new DefinitionError(
      'defineEventSource',
      `the provider name "${provider}" is too long for a tracepoint: it has ${provider.length} characters, ` +
        `but the maximum is ${MAX_PROVIDER_AND_GROUP_LENGTH}.`,
    );
  }
}

function eventSchema(
  provider: string,
  name: string,
  definition: EventDefinition,
  keywordNames: KeywordNames,
  reservedNames: readonly string[],
  before: readonly EventSchema[],
): EventSchema {
  const place = `${provider}.${name}`;
  checkEventName(provider, name);
  checkNotReserved(provider, name, reservedNames);
  if (typeof definition !== 'object' || definition === null || !('fields' in definition)) {
    throw new DefinitionError(place, 'an event must be defined with event({ fields }, { options }).');
  }
  const options = definition.options;
  checkOptionNames(place, options, EVENT_OPTIONS);
  const id = integerOption(place, 'id', options.id ?? (before.at(-1)?.id ?? 0) + 1, 1, 0xffff);
  const twin = before.find((other) => other.id === id);
  if (twin !== undefined) throw new DefinitionError(place, `the id ${id} already belongs to ${twin.name}.`);
  const opcode = integerOption(place, 'opcode', options.opcode ?? defaultOpcode(name), 0, 0xff);
  const schema = {
    name,
    id,
    version: integerOption(place, 'version', options.version ?? 0, 0, 0xff),
    level: integerOption(place, 'level', options.level ?? Level.Informational, 1, 0xff),
    keywords: keywordsOf(place, options.keywords ?? 0n, keywordNames),
    opcode,
    task: taskOf(place, name, id, opcode, options, before),
    tag: integerOption(place, 'tag', options.tag ?? 0, 0, MAX_TAG),
    fields: withTags(place, fieldSchemas(place, withTraceFields(place, definition, opcode)), options),
    ...(options.channel === undefined
      ? {}
      : { channel: integerOption(place, 'channel', options.channel, Channel.Admin, Channel.Debug) }),
    ...messageOf(place, options),
  };
  integerOption(place, 'activityOptions', options.activityOptions ?? 0, 0, 0xf);
  checkTask(provider, schema, before);
  return schema;
}

/** @throws DefinitionError */
function withTags(
  place: string,
  fields: readonly FieldSchema[],
  { fieldTags }: EventOptions,
): readonly FieldSchema[] {
  if (fieldTags === undefined) return fields;
  if (!isObject(fieldTags)) {
    throw new DefinitionError(
      place,
      `fieldTags must be an object of names and tags, not ${shown(fieldTags)}.`,
    );
  }
  for (const [name, tag] of Object.entries(fieldTags)) {
    integerOption(place, `tag of the field "${name}"`, tag, 0, MAX_TAG);
    if (fields.some((field) => field.name === name)) continue;
    throw new DefinitionError(place, `fieldTags has a tag for "${name}", but there is no such field.`);
  }
  return fields.map((field) => {
    const tag = fieldTags[field.name] ?? 0;
    return tag === 0 ? field : { ...field, tag };
  });
}

/** @throws DefinitionError */
function withTraceFields(
  place: string,
  { fields, options }: EventDefinition,
  opcode: number,
): FieldDefinitions {
  const { traceContext = false } = options;
  if (typeof traceContext !== 'boolean') {
    throw new DefinitionError(place, `traceContext must be true or false, not ${String(traceContext)}.`);
  }
  if (!traceContext || !isObject(fields)) return fields;
  if (opcode !== Opcode.Start) {
    throw new DefinitionError(place, 'only a Start can have the traceContext option.');
  }
  const own = Object.keys(TRACE_FIELDS).find((name) => name in fields);
  if (own === undefined) return { ...fields, ...TRACE_FIELDS };
  throw new DefinitionError(place, `the field ${own} is already added by the traceContext option.`);
}

/** @throws DefinitionError if an earlier event has the same task and opcode */
function checkTask(provider: string, schema: EventSchema, before: readonly EventSchema[]): void {
  const { name, opcode, task } = schema;
  if (opcode === Opcode.Info) return;
  const rival = before.find((other) => other.opcode === opcode && other.task === task);
  if (rival === undefined) return;
  throw new DefinitionError(
    `${provider}.${name}`,
    `${rival.name} has the same task (${task}) and opcode (${opcode}).`,
  );
}

/**
 * Returns the events with other ids, and with the tasks that follow from them.
 *
 * @param ids in the order of the schemas
 * @throws DefinitionError
 */
export function withIds(
  provider: string,
  schemas: readonly EventSchema[],
  events: Readonly<Record<string, EventDefinition>>,
  ids: readonly number[],
): readonly EventSchema[] {
  if (schemas.every(({ id }, index) => id === ids[index])) return schemas;
  const changed: EventSchema[] = [];
  for (const [index, schema] of schemas.entries()) {
    const id = ids[index] as number;
    const options = events[schema.name]?.options ?? {};
    const task = taskOf(provider, schema.name, id, schema.opcode, options, changed);
    const withId = { ...schema, id, task };
    checkTask(provider, withId, changed);
    changed.push(withId);
  }
  return changed;
}

function checkNotReserved(provider: string, name: string, reservedNames: readonly string[]): void {
  if (!reservedNames.includes(name) && !(name in Object.prototype)) return;
  throw new DefinitionError(
    provider,
    `an event cannot be named "${name}": every event source has a member of that name.`,
  );
}

/** @throws DefinitionError for an invalid event name */
export function checkEventName(provider: string, name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new DefinitionError(provider, `the event name ${JSON.stringify(name)} ${problem}.`);
  const size = Buffer.byteLength(name);
  if (size > MAX_EVENT_NAME_BYTES) {
    throw new DefinitionError(
      provider,
      `the event name "${name}" is too long: it takes ${size} bytes, but the maximum is ${MAX_EVENT_NAME_BYTES}.`,
    );
  }
}

/** @throws DefinitionError for invalid keywords */
export function keywordsOf(place: string, given: Keywords, names: KeywordNames): bigint {
  const bits = keywordBits(given, names, (problem) => {
    throw new DefinitionError(place, problem);
  });
  return checkKeywords(place, bits);
}

function checkKeywords(place: string, keywords: unknown): bigint {
  if (typeof keywords !== 'bigint') {
    throw new DefinitionError(place, `keywords must be a bigint (0x2n), not ${shown(keywords)}.`);
  }
  if (keywords < 0n || keywords >= KEYWORD_LIMIT) {
    throw new DefinitionError(
      place,
      `the keywords 0x${keywords.toString(16)} are outside bits 0 to 47; ETW reserves the others.`,
    );
  }
  return keywords;
}

function messageOf(place: string, { message }: EventOptions): { readonly message?: string } {
  if (message === undefined) return {};
  if (typeof message === 'string') return { message };
  throw new DefinitionError(place, `the message must be a string, not ${shown(message)}.`);
}

/** .NET's: Start and Stop by the ending of the name. */
export function defaultOpcode(name: string): number {
  if (name.endsWith('Start')) return Opcode.Start;
  if (name.endsWith('Stop')) return Opcode.Stop;
  return Opcode.Info;
}

function taskOf(
  place: string,
  name: string,
  id: number,
  opcode: number,
  options: EventOptions,
  before: readonly EventSchema[],
): number {
  if (options.task !== undefined) return integerOption(place, 'task', options.task, 1, DEFAULT_TASK_BASE);
  if (opcode === Opcode.Stop && name.endsWith('Stop')) {
    const start = before.find((other) => other.name === `${name.slice(0, -'Stop'.length)}Start`);
    if (start?.opcode === Opcode.Start) return start.task;
  }
  return Math.max(1, DEFAULT_TASK_BASE - id);
}

/** A Start and its Stop: one name apart from the ending, or else one task. */
export function partnerOf(schema: EventSchema, schemas: readonly EventSchema[]): EventSchema | undefined {
  const partnerOpcode = schema.opcode === Opcode.Start ? Opcode.Stop : Opcode.Start;
  const [ending, otherEnding] = schema.opcode === Opcode.Start ? ['Start', 'Stop'] : ['Stop', 'Start'];
  if (schema.name.endsWith(ending)) {
    const partner = schema.name.slice(0, -ending.length) + otherEnding;
    return schemas.find((other) => other.name === partner && other.opcode === partnerOpcode);
  }
  return schemas.find((other) => other.opcode === partnerOpcode && other.task === schema.task);
}

function checkPair(provider: string, schema: EventSchema, schemas: readonly EventSchema[]): void {
  if (schema.opcode !== Opcode.Start && schema.opcode !== Opcode.Stop) return;
  const partner = partnerOf(schema, schemas);
  if (partner !== undefined) {
    // Tools treat a Stop defined before its Start as one without a Start: its task is the Start's.
    if (schema.opcode === Opcode.Start && schemas.indexOf(partner) < schemas.indexOf(schema)) {
      throw new DefinitionError(`${provider}.${schema.name}`, `define it before its stop, ${partner.name}.`);
    }
    return;
  }
  const [is, needs] = schema.opcode === Opcode.Start ? ['Start', 'Stop'] : ['Stop', 'Start'];
  throw new DefinitionError(
    `${provider}.${schema.name}`,
    `a ${is} event needs its ${needs} event (the same name ending in ${needs}); ` +
      `if it is not the ${is.toLowerCase()} of anything, give it { opcode: Opcode.Info }.`,
  );
}
