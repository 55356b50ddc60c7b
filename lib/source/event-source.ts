/**
 * Event sources: what an application defines once, and writes its events through.
 */
import { ActivityOptions, activityName } from '../activity/activity.ts';
import { Guid } from '../activity/guid.ts';
import { type SharedActivities, sharedActivities } from '../activity/shared.ts';
import { NOTICED_BITS } from '../listen/audience.ts';
import type { CommandHandler } from '../listen/commands.ts';
import { type Kernel, theKernel } from '../platform/kernel.ts';
import '../eventpipe/threads/join-sessions.ts';
import '../eventpipe/user-events/shared-session.ts';
import { shown } from '../base/shown.ts';
import { Subscriptions } from '../listen/subscriptions.ts';
import { LISTENABLE } from '../listen/written-event.ts';
import { type ManifestSource, generateManifest as manifestOf } from '../wire/manifest/generate.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { Account } from './account.ts';
import { ActivityEvents } from './activity-events.ts';
import { onEtwCommand } from './commands.ts';
import { Opcode } from './constants.ts';
import { DefinitionError } from './definition-error.ts';
import { traceLoggingEvent } from './etw.ts';
import { eventSchemas, type KeywordNames, partnerOf } from './event-schemas.ts';
import type {
  ActivityParentOptions,
  EventSource,
  Events,
  SourceOptions,
  SourceStatus,
  WithKnownKeywords,
} from './event-source-types.ts';
import { EventWriter, type WriteOptions } from './event-writer.ts';
import type { KernelEvent } from './kernel-event.ts';
import type { LazyPayload } from './lazy-payload.ts';
import { checkForManifest, manifestEvent, rememberForManifest, writeManifestInBand } from './manifest.ts';
import { checkOptionNames } from './options.ts';
import { type Provider, providerOf } from './provider.ts';
import { SelfDescribingEvents, type SelfDescribingOptions } from './self-describing.ts';
import { SharedIds } from './shared-ids.ts';
import type { SourceContext } from './source-context.ts';
import { followTaskFlow } from './task-flow.ts';
import { tracepointOf, userEventsEvent } from './user-events.ts';
import type { Outcome } from './work-result.ts';

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
  'close',
  'then',
];

/**
 * Defines an event source and makes its events known to the operating system's tracer, if there is one that
 * this process may use; `status` tells. Meant to be called once for each provider, when a module is loaded. The
 * same definition again, as when a module is loaded anew, shares what is there: both sources write the same events
 * and count them together.
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
  const { activityIds = 'net10', format = 'tracelogging', throwOnErrors = false } = options;
  if (activityIds !== 'net10' && activityIds !== '2016') {
    throw new DefinitionError(name, `activityIds is 'net10' or '2016', not ${String(activityIds)}.`);
  }
  const keywordNames = options.keywords ?? {};
  const drafts = eventSchemas(name, events, keywordNames, MEMBERS);
  if (format !== 'tracelogging' && format !== 'manifest') {
    throw new DefinitionError(name, `format is 'tracelogging' or 'manifest', not ${String(format)}.`);
  }
  const provider = providerOf(name, options.guid, options.groupGuid);
  if (format === 'manifest') checkForManifest({ ...provider, events: drafts, keywordNames });
  const kernel = theKernel();
  kernel.open();
  const definition = { provider, drafts, events, keywordNames, activityIds, format, throwOnErrors };
  return sharedSource(kernel, definition) as unknown as EventSource<Sources>;
}

/** A definition without mistakes of its own. */
interface Definition {
  readonly provider: Provider;
  /** The events with the ids that follow from their places. */
  readonly drafts: readonly EventSchema[];
  readonly events: Events;
  readonly keywordNames: KeywordNames;
  readonly activityIds: 'net10' | '2016';
  readonly format: 'tracelogging' | 'manifest';
  readonly throwOnErrors: boolean;
}

/** What is there of each definition, by its text; apart for each kernel, of which tests have several. */
const defined = new WeakMap<Kernel, Map<string, DefinedSource>>();

function sharedSource(kernel: Kernel, definition: Definition): EventSource {
  const known = defined.get(kernel) ?? new Map<string, DefinedSource>();
  defined.set(kernel, known);
  const text = definitionText(kernel, definition);
  const shared = known.get(text);
  if (shared !== undefined) return shared.newSource();
  const fresh = new DefinedSource(kernel, definition, () => known.delete(text));
  known.set(text, fresh);
  return fresh.announced();
}

/** The backend, too: what could not be registered before is registered by the same definition, later. */
function definitionText(kernel: Kernel, { drafts, events, ...others }: Definition): string {
  const options = drafts.map(({ name }) => [events[name]?.options.id, events[name]?.options.activityOptions]);
  return JSON.stringify([kernel.backend, others, drafts, options], (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

/** What the sources of one definition have in common, until all of them are closed. */
class DefinedSource {
  readonly #functions: readonly (readonly [name: string, write: AnyEventFunction])[];
  readonly #members: PropertyDescriptorMap;
  readonly #subscriptions: Subscriptions;
  readonly #described: ManifestSource;
  readonly #source: EventSource;
  /** Sources that are not closed. */
  #users = 0;
  /** What closing does, the last first. */
  readonly #closing: (() => void)[] = [];

  /**
   * @param onClosed called when the last source is closed
   * @throws DefinitionError; nothing is left of it then
   */
  constructor(kernel: Kernel, definition: Definition, onClosed: () => void) {
    this.#closing.push(onClosed);
    try {
      const { provider, drafts, events, keywordNames, format } = definition;
      const shared = sharedActivities();
      const ids = new SharedIds(provider);
      const schemas = ids.take(drafts, events);
      // Whoever records a manifest's events with ETW has the manifest, too: those ids stay what they are.
      if (format !== 'manifest' || kernel.backend !== 'etw') this.#closing.push(() => ids.release());
      this.#described = { ...provider, events: schemas, keywordNames };
      this.#subscriptions = new Subscriptions(provider.name, () => shared.flow.begin());
      const account = new Account();
      const { problem } = ids;
      if (problem !== undefined) account.tell('ids', () => problem);
      const context: SourceContext = {
        provider,
        kernel,
        account,
        throwOnErrors: definition.throwOnErrors,
        subscriptions: this.#subscriptions,
        source: () => this.#source,
      };
      const writers = this.#writersOf(context, schemas, format);
      const processId = definition.activityIds === '2016' ? 0 : process.pid;
      const activities = activitiesOf(provider.name, schemas, events, writers, processId, shared);
      const selfDescribing = new SelfDescribingEvents(
        context,
        (schema) => selfDescribingEvent(context, schema),
        keywordNames,
        processId,
        shared,
      );
      this.#closing.push(() => selfDescribing.close());
      this.#closing.push(onEtwCommand(kernel, provider, (command) => this.#subscriptions.send(command)));
      followTaskFlow(kernel, shared.flow);
      const isStartWanted = (): boolean =>
        [...activities.values()].some((activity) => activity.startEnabled) || selfDescribing.isStartWanted;
      this.#closing.push(shared.flow.keepWhile(isStartWanted));
      this.#closing.push(() => this.#subscriptions.close());
      this.#functions = schemas.map((schema) => [
        schema.name,
        eventFunction(provider, writers.get(schema) as EventWriter, activities.get(schema), shared),
      ]);
      const members = sourceMembers(context, schemas, activities, selfDescribing);
      this.#members = Object.getOwnPropertyDescriptors(members);
      this.#source = this.newSource();
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** The first source, shown to those who want to see new ones. */
  announced(): EventSource {
    this.#subscriptions.announce(this.#source);
    return this.#source;
  }

  /** One more source. */
  newSource(): EventSource {
    this.#users++;
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      if (--this.#users === 0) this.#close();
    };
    // The members' descriptors, because `status` is a getter; and onto the functions, not the other way round:
    // V8 keeps what is assigned function by function as a dictionary, in which finding one costs 5 ns.
    const source = Object.freeze(
      Object.defineProperties(Object.fromEntries(this.#functions), {
        ...this.#members,
        close: { value: close, enumerable: true },
        [Symbol.dispose]: { value: close },
      }),
    ) as EventSource;
    rememberForManifest(source, this.#described);
    return source;
  }

  /** Known to the kernel and to subscribers, of whom there are none yet. */
  #writersOf(
    context: SourceContext,
    schemas: readonly EventSchema[],
    format: 'tracelogging' | 'manifest',
  ): Map<EventSchema, EventWriter> {
    const { kernel, provider } = context;
    const hasManifest = format === 'manifest' && kernel.backend === 'etw';
    const writers = new Map<EventSchema, EventWriter>();
    for (const schema of schemas) {
      const kernelEvent = hasManifest
        ? manifestEvent(provider, schema)
        : selfDescribingEvent(context, schema);
      const writer = new EventWriter(context, schema, kernelEvent);
      this.#closing.push(() => kernel.release(writer.word));
      writers.set(schema, writer);
    }
    for (const writer of writers.values()) {
      writer.register();
      context.subscriptions.add(writer.audience);
    }
    if (hasManifest) this.#closing.push(writeManifestInBand(context, manifestOf(this.#described)));
    return writers;
  }

  #close(): void {
    for (const work of this.#closing.reverse()) work();
    this.#closing.length = 0;
  }
}

/** Where there is no tracer, payloads are checked as Linux would have them. */
function selfDescribingEvent({ kernel, provider }: SourceContext, schema: EventSchema): KernelEvent {
  return kernel.backend === 'etw'
    ? traceLoggingEvent(provider, schema)
    : userEventsEvent(provider.name, schema);
}

function eventFunction(
  { name, guid }: Provider,
  writer: EventWriter,
  activity: ActivityEvents | undefined,
  shared: SharedActivities,
): AnyEventFunction {
  const { schema } = writer;
  const write =
    activity === undefined
      ? plainFunction(writer, shared)
      : activity.startSchema === schema
        ? startFunction(writer, activity)
        : stopFunction(writer, activity);
  const identity = { provider: name, providerGuid: guid, name: schema.name, id: schema.id };
  return Object.defineProperties(write, {
    // For stacks, heap snapshots and debuggers; profiles show what the function is called in the code below.
    name: { value: `${name}.${schema.name}` },
    enabled: { get: () => writer.enabled },
    identity: { value: Object.freeze(identity) },
  });
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

// The three functions below are all that runs while nobody listens: a load and a test. The word itself is looked at
// each time, because it points elsewhere when the source is closed.

function plainFunction(writer: EventWriter, { flow, tracker }: SharedActivities): AnyEventFunction {
  const { word } = writer;
  return function writeEvent(payload, options) {
    if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return;
    writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
  };
}

function startFunction(writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { word } = writer;
  const { unheard } = activity;
  return function startActivity(payload, options) {
    if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return unheard;
    return activity.start(payload, options);
  };
}

function stopFunction(writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { word } = writer;
  return function stopActivity(payload, options) {
    if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return;
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
  type ScopeOptions = ActivityParentOptions & { readonly stop?: (outcome: Outcome) => Payload };
  const runWithOptions = (
    activityName: string,
    payload: LazyPayload,
    optionsOrWork: ScopeOptions | (() => unknown),
    work: (() => unknown) | undefined,
  ) => {
    const [options, run] =
      typeof optionsOrWork === 'function' ? [{}, optionsOrWork] : [optionsOrWork, work as () => unknown];
    const activity = scopes[activityName];
    const { parent, stop } = options;
    if (activity instanceof ActivityEvents) {
      if (parent === undefined) return activity.scope(payload, stop, run);
      if (typeof parent === 'string' && activity.startEnabled && Guid.tryParse(parent) === undefined) {
        account.badValues++;
        account.tell('parent', () => `${name}: ${shown(parent)} is no GUID of an activity to be inside of.`);
      }
      return activity.scopeIn(parent, payload, stop, run);
    }
    const known = Object.keys(scopes).join(', ') || 'none';
    const problem = `there is no activity ${shown(activityName)}, only: ${known}.`;
    if (throwOnErrors) throw new DefinitionError(name, problem);
    account.badValues++;
    account.tell(`activity ${activityName}`, () => `${name}: ${problem} Its work was run without.`);
    return run();
  };
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
    // Short, so that V8 puts it in its callers' place: while nobody wants the event it costs no more than the call.
    activity: (
      activityName: string,
      payload: LazyPayload,
      optionsOrWork: ScopeOptions | (() => unknown),
      work?: () => unknown,
    ) => {
      const activity = scopes[activityName];
      return typeof optionsOrWork === 'function' && activity instanceof ActivityEvents
        ? activity.scope(payload, undefined, optionsOrWork)
        : runWithOptions(activityName, payload, optionsOrWork, work);
    },
    [LISTENABLE]: subscriptions,
  };
}
