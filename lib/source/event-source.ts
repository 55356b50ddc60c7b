/**
 * Event sources: what an application defines once, and writes its events through.
 */
import { ActivityOptions, activityName } from '../activity/activity.ts';
import { type SharedActivities, sharedActivities } from '../activity/shared.ts';
import { theKernel } from '../platform/kernel.ts';
import { WANTED_BITS } from '../session/audience.ts';
import type { CommandHandler } from '../session/commands.ts';
import '../session/event-pipe/threads/join-sessions.ts';
import '../session/user-events/shared-session.ts';
import { shown } from '../session/shown.ts';
import { LISTENABLE, Subscriptions } from '../session/subscriptions.ts';
import { generateManifest as manifestOf } from '../wire/manifest/generate.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { Account } from './account.ts';
import { ActivityEvents, type Outcome } from './activity-events.ts';
import { onEtwCommand } from './commands.ts';
import { Opcode } from './constants.ts';
import { DefinitionError } from './definition-error.ts';
import { traceLoggingEvent } from './etw.ts';
import { eventSchemas, partnerOf } from './event-schemas.ts';
import type { EventSource, Events, SourceOptions, SourceStatus } from './event-source-types.ts';
import { EventWriter, type WriteOptions } from './event-writer.ts';
import type { LazyPayload } from './lazy-payload.ts';
import { checkForManifest, manifestEvent, rememberForManifest, writeManifestInBand } from './manifest.ts';
import { checkOptionNames } from './options.ts';
import { providerOf } from './provider.ts';
import { SelfDescribingEvents, type SelfDescribingOptions } from './self-describing.ts';
import type { SourceContext } from './source-context.ts';
import { followTaskFlow } from './task-flow.ts';
import { tracepointOf, userEventsEvent } from './user-events.ts';

const SOURCE_OPTIONS = ['keywords', 'activityIds', 'guid', 'groupGuid', 'format', 'throwOnErrors'];
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
  'then',
];

/**
 * Defines an event source and makes its events known to the operating system's tracer, if there is one that
 * this process may use; `status` tells. Meant to be called once for each provider, when a module is loaded.
 *
 * @param name the provider's name, as tools show it
 * @param events by name; see `event`
 * @throws DefinitionError for a mistake in the definition: one sentence with the place and the value
 */
export function defineEventSource<const Sources extends Events>(
  name: string,
  events: Sources,
  options: SourceOptions = {},
): EventSource<Sources> {
  checkOptionNames(String(name), options, SOURCE_OPTIONS);
  const { activityIds = 'net10', format = 'tracelogging', throwOnErrors = false } = options;
  if (activityIds !== 'net10' && activityIds !== '2016') {
    throw new DefinitionError(name, `activityIds is 'net10' or '2016', not ${String(activityIds)}.`);
  }
  const schemas = eventSchemas(name, events, options.keywords ?? {}, MEMBERS);
  if (format !== 'tracelogging' && format !== 'manifest') {
    throw new DefinitionError(name, `format is 'tracelogging' or 'manifest', not ${String(format)}.`);
  }
  const provider = providerOf(name, options.guid, options.groupGuid);
  const described = { ...provider, events: schemas, keywordNames: options.keywords ?? {} };
  if (format === 'manifest') checkForManifest(described);
  const kernel = theKernel();
  kernel.open();
  // Where there is no tracer, payloads are checked as Linux would have them.
  const selfDescribingEvent = (schema: EventSchema) =>
    kernel.backend === 'etw' ? traceLoggingEvent(provider, schema) : userEventsEvent(name, schema);
  const kernelEvent = (schema: EventSchema) =>
    kernel.backend === 'etw' && format === 'manifest'
      ? manifestEvent(provider, schema)
      : selfDescribingEvent(schema);
  const shared = sharedActivities();
  const subscriptions = new Subscriptions(name, () => shared.flow.begin());
  const account = new Account();
  const context: SourceContext = {
    provider,
    kernel,
    account,
    throwOnErrors,
    subscriptions,
    source: () => source,
  };
  const writers = new Map<EventSchema, EventWriter>();
  for (const schema of schemas) writers.set(schema, new EventWriter(context, schema, kernelEvent(schema)));
  for (const writer of writers.values()) {
    writer.register();
    subscriptions.add(writer.audience);
  }
  if (format === 'manifest' && kernel.backend === 'etw') {
    writeManifestInBand(context, manifestOf(described));
  }
  onEtwCommand(kernel, provider, (command) => subscriptions.send(command));
  followTaskFlow(kernel, shared.flow);
  const processId = activityIds === '2016' ? 0 : process.pid;
  const activities = activitiesOf(name, schemas, events, writers, processId, shared);
  const selfDescribing = new SelfDescribingEvents(
    context,
    selfDescribingEvent,
    options.keywords ?? {},
    processId,
    shared,
  );
  shared.flow.keepWhile(
    () => [...activities.values()].some((activity) => activity.startEnabled) || selfDescribing.isStartWanted,
  );

  const functions = schemas.map((schema) => {
    const writer = writers.get(schema) as EventWriter;
    const activity = activities.get(schema);
    const write =
      activity === undefined
        ? plainFunction(writer, shared)
        : activity.startSchema === schema
          ? startFunction(writer, activity)
          : stopFunction(writer, activity);
    const identity = { provider: name, providerGuid: provider.guid, name: schema.name, id: schema.id };
    Object.defineProperties(write, {
      enabled: { get: () => writer.enabled },
      identity: { value: Object.freeze(identity) },
    });
    return [schema.name, write];
  });
  const members = sourceMembers(context, schemas, activities, selfDescribing);
  // The members' descriptors, because `status` is a getter; and onto the functions, not the other way round:
  // V8 keeps what is assigned function by function as a dictionary, in which finding one costs 5 ns.
  const source = Object.freeze(
    Object.defineProperties(Object.fromEntries(functions), Object.getOwnPropertyDescriptors(members)),
  ) as EventSource<Sources>;
  rememberForManifest(source, described);
  subscriptions.announce(source);
  return source;
}

/** By the schema of either event of a pair. */
function activitiesOf(
  provider: string,
  schemas: readonly EventSchema[],
  events: Events,
  writers: ReadonlyMap<EventSchema, EventWriter>,
  processId: number,
  shared: SharedActivities,
): Map<EventSchema, ActivityEvents> {
  const activities = new Map<EventSchema, ActivityEvents>();
  for (const start of schemas) {
    const stop = start.opcode === Opcode.Start ? partnerOf(start, schemas) : namedStopOf(start, schemas);
    if (stop === undefined) continue;
    // A pair by name alone, with an opcode that says it is none: a handle as of any pair, and no activity.
    const isTracked = start.opcode === Opcode.Start && stop.opcode === Opcode.Stop;
    const activity = new ActivityEvents(
      writers.get(start) as EventWriter,
      writers.get(stop) as EventWriter,
      activityName(provider, start.name, start.task),
      isTracked ? (events[start.name]?.options.activityOptions ?? 0) : ActivityOptions.Disable,
      processId,
      shared,
    );
    activities.set(start, activity);
    activities.set(stop, activity);
  }
  return activities;
}

function namedStopOf(start: EventSchema, schemas: readonly EventSchema[]): EventSchema | undefined {
  if (!start.name.endsWith('Start')) return undefined;
  const name = start.name.replace(/Start$/, 'Stop');
  return schemas.find((schema) => schema.name === name);
}

type AnyEventFunction = (payload?: LazyPayload, options?: WriteOptions) => unknown;

// The three functions below are all that runs while nobody listens: one load and one test.

function plainFunction(writer: EventWriter, { flow, tracker }: SharedActivities): AnyEventFunction {
  const { words, index } = writer.word;
  return (payload, options) => {
    if (((words[index] as number) & WANTED_BITS) === 0) return;
    writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
  };
}

function startFunction(writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { words, index } = writer.word;
  const { unheard } = activity;
  return (payload, options) => {
    if (((words[index] as number) & WANTED_BITS) === 0) return unheard;
    return activity.start(payload, options);
  };
}

function stopFunction(writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { words, index } = writer.word;
  return (payload, options) => {
    if (((words[index] as number) & WANTED_BITS) === 0) return;
    activity.stop(payload, options);
  };
}

function sourceMembers(
  { provider, kernel, account, throwOnErrors, subscriptions }: SourceContext,
  schemas: readonly EventSchema[],
  activities: ReadonlyMap<EventSchema, ActivityEvents>,
  selfDescribing: SelfDescribingEvents,
): object {
  const { name, guid } = provider;
  // An object, because V8 finds a constant name in it faster than in a Map: a scope that nobody wants costs 2.5 ns, not 8.
  const scopes: Readonly<Record<string, unknown>> = Object.fromEntries(
    [...activities]
      .filter(([schema, activity]) => activity.startSchema === schema)
      .map(([schema, activity]) => [schema.name.replace(/Start$/, ''), activity]),
  );
  type Stop = (outcome: Outcome) => Payload;
  return {
    name,
    guid,
    get tracepoints(): readonly string[] {
      const all = [...schemas, ...selfDescribing.schemas];
      return Object.freeze([...new Set(all.map((schema) => tracepointOf(name, schema)))]);
    },
    get status(): SourceStatus {
      return { backend: kernel.backend, reason: kernel.reason, problems: account.problems };
    },
    stats: () => account.stats(),
    onCommand: (handler: CommandHandler) => subscriptions.onCommand(handler),
    isEnabled: (level?: number, keywords: bigint | string | readonly string[] = 0n) =>
      level === undefined ? subscriptions.isWanted : selfDescribing.isWanted(level, keywords),
    write: (eventName: string, payload?: LazyPayload, options?: SelfDescribingOptions) =>
      selfDescribing.write(eventName, payload, options),
    activity: (
      activityName: string,
      payload: LazyPayload,
      optionsOrWork: { stop: Stop } | (() => unknown),
      work?: () => unknown,
    ) => {
      const [stop, run] =
        typeof optionsOrWork === 'function'
          ? [undefined, optionsOrWork]
          : [optionsOrWork.stop, work as () => unknown];
      const activity = scopes[activityName];
      if (activity instanceof ActivityEvents) return activity.scope(payload, stop, run);
      const known = Object.keys(scopes).join(', ') || 'none';
      const problem = `there is no activity ${shown(activityName)}, only: ${known}.`;
      if (throwOnErrors) throw new DefinitionError(name, problem);
      account.badValues++;
      account.tell(`activity ${activityName}`, () => `${name}: ${problem} Its work was run without.`);
      return run();
    },
    [LISTENABLE]: subscriptions,
  };
}
