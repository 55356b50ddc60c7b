/** Event sources, which an application defines once and writes its events with. */
import type { KeywordNames } from '../listen/filter.ts';
import { theTracer } from '../platform/tracer.ts';
import type { EventSchema } from '../wire/schema.ts';
import { sharedSource } from './defined-source.ts';
import { checkOptionNames } from './definition-checks.ts';
import { DefinitionError } from './definition-error.ts';
import { eventSchemas } from './event-schemas.ts';
import type { EventSource, Events, SourceOptions, WithKnownKeywords } from './event-source-types.ts';
import { checkForManifest } from './manifest-format.ts';
import { checkForPlainTracepoints } from './plain-format.ts';
import { providerOf } from './source-context.ts';

const SOURCE_OPTIONS = [
  'keywords',
  'activityIds',
  'guid',
  'groupGuid',
  'groupName',
  'etwFormat',
  'userEventsFormat',
  'throwOnErrors',
  'messages',
];
const MEMBERS = [
  'name',
  'guid',
  'tracepoints',
  'status',
  'stats',
  'activity',
  'onCommand',
  'onStateRequest',
  'write',
  'isEnabled',
  'close',
  'then',
];

/**
 * Defines an event source and registers its events with the operating system's tracer, if there is one that this
 * process may use; see `status`. Call it once per provider, when a module is loaded. An identical definition, as when a
 * module is reloaded, shares the existing registration: both sources write the same events and count them together.
 *
 * @param name the provider's name, as tools show it
 * @param events by name; see `event`
 * @throws DefinitionError for a mistake in the definition: one sentence with the place and the value
 */
export function defineEventSource<
  const Sources extends Events,
  const Names extends KeywordNames = Record<never, never>,
>(
  name: string,
  events: Sources & WithKnownKeywords<Sources, Names>,
  options: SourceOptions<Names> = {},
): EventSource<Sources> {
  checkOptionNames(String(name), options, SOURCE_OPTIONS);
  const { activityIds = 'net10', throwOnErrors = false } = options;
  const { etwFormat = 'tracelogging', userEventsFormat = 'eventheader' } = options;
  if (activityIds !== 'net10' && activityIds !== '2016') {
    throw new DefinitionError(name, `activityIds must be 'net10' or '2016', not ${String(activityIds)}.`);
  }
  const keywordNames = options.keywords ?? {};
  const drafts = eventSchemas(name, events, keywordNames, MEMBERS);
  checkFormat(name, 'etwFormat', etwFormat, ['tracelogging', 'manifest']);
  checkFormat(name, 'userEventsFormat', userEventsFormat, ['eventheader', 'plain']);
  const provider = providerOf(name, options);
  if (userEventsFormat === 'plain') checkForPlainTracepoints(name, drafts);
  if (etwFormat !== 'manifest') checkWithoutChannels(name, drafts);
  const messages = options.messages === undefined ? {} : { messages: options.messages };
  if (etwFormat === 'manifest' || options.messages !== undefined) {
    checkForManifest({ ...provider, events: drafts, keywordNames, ...messages });
  }
  const tracer = theTracer();
  tracer.open();
  const formats = { etwFormat, userEventsFormat };
  const definition = {
    provider,
    drafts,
    events,
    keywordNames,
    activityIds,
    ...formats,
    throwOnErrors,
    ...messages,
  };
  return sharedSource(tracer, definition) as unknown as EventSource<Sources>;
}

/** @throws DefinitionError */
function checkFormat(provider: string, option: string, given: string, known: readonly string[]): void {
  if (known.includes(given)) return;
  throw new DefinitionError(provider, `${option} must be '${known.join("' or '")}', not ${String(given)}.`);
}

/** Self-describing events are in a channel of their own, so that another one would have no effect. */
function checkWithoutChannels(provider: string, schemas: readonly EventSchema[]): void {
  const schema = schemas.find(({ channel }) => channel !== undefined);
  if (schema === undefined) return;
  throw new DefinitionError(
    `${provider}.${schema.name}`,
    "a channel of the Event Log needs a source with { etwFormat: 'manifest' }; self-describing events cannot have one.",
  );
}
