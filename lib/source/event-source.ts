/** Event sources, which an application defines once and writes its events with. */
import { theTracer } from '../platform/tracer.ts';
import { sharedSource } from './defined-source.ts';
import { checkOptionNames } from './definition-checks.ts';
import { DefinitionError } from './definition-error.ts';
import { eventSchemas, type KeywordNames } from './event-schemas.ts';
import type { EventSource, Events, SourceOptions, WithKnownKeywords } from './event-source-types.ts';
import { checkForManifest } from './manifest.ts';
import { providerOf } from './source-context.ts';

const SOURCE_OPTIONS = ['keywords', 'activityIds', 'guid', 'groupGuid', 'etwFormat', 'throwOnErrors'];
const MEMBERS = [
  'name',
  'guid',
  'tracepoints',
  'status',
  'stats',
  'activity',
  'onCommand',
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
  const { activityIds = 'net10', etwFormat = 'tracelogging', throwOnErrors = false } = options;
  if (activityIds !== 'net10' && activityIds !== '2016') {
    throw new DefinitionError(name, `activityIds must be 'net10' or '2016', not ${String(activityIds)}.`);
  }
  const keywordNames = options.keywords ?? {};
  const drafts = eventSchemas(name, events, keywordNames, MEMBERS);
  if (etwFormat !== 'tracelogging' && etwFormat !== 'manifest') {
    throw new DefinitionError(
      name,
      `etwFormat must be 'tracelogging' or 'manifest', not ${String(etwFormat)}.`,
    );
  }
  const provider = providerOf(name, options.guid, options.groupGuid);
  if (etwFormat === 'manifest') checkForManifest({ ...provider, events: drafts, keywordNames });
  const tracer = theTracer();
  tracer.open();
  const definition = { provider, drafts, events, keywordNames, activityIds, etwFormat, throwOnErrors };
  return sharedSource(tracer, definition) as unknown as EventSource<Sources>;
}
