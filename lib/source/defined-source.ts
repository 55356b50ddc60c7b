/** What all sources with one definition share, until the last of them is closed: events, ids, subscriptions. */
import { ActivityOptions, activityName } from '../activity/activity.ts';
import { type SharedActivities, sharedActivities } from '../activity/shared.ts';
import { joinSessions } from '../eventpipe/join-sessions.ts';
import type { KeywordNames } from '../listen/filter.ts';
import { Subscriptions } from '../listen/subscriptions.ts';
import type { Tracer } from '../platform/tracer.ts';
import type { ManifestSource } from '../wire/manifest/generate.ts';
import type { Messages } from '../wire/manifest/strings.ts';
import { type EventSchema, layoutText } from '../wire/schema.ts';
import { Account } from './account.ts';
import { ActivityEvents } from './activity-events.ts';
import { Opcode } from './constants.ts';
import { onEtwCommand } from './etw-commands.ts';
import { eventFunction } from './event-functions.ts';
import { partnerOf } from './event-schemas.ts';
import type { EventSource, Events } from './event-source-types.ts';
import { EventWriter } from './event-writer.ts';
import { writeManifestInBand } from './in-band-manifest.ts';
import { rememberForManifest } from './manifest.ts';
import { manifestFormat } from './manifest-format.ts';
import { plainFormat } from './plain-format.ts';
import { SelfDescribingEvents } from './self-describing.ts';
import { SharedIds } from './shared-ids.ts';
import type { Provider, SourceContext } from './source-context.ts';
import { sourceMembers } from './source-members.ts';
import { StateRequests } from './state-requests.ts';
import { followTaskFlow } from './task-flow.ts';
import { selfDescribingFormat, type TracerFormat } from './tracer-format.ts';

/** A definition without errors of its own. */
interface Definition {
  readonly provider: Provider;
  /** The events with the ids that follow from their positions. */
  readonly drafts: readonly EventSchema[];
  readonly events: Events;
  readonly keywordNames: KeywordNames;
  readonly activityIds: 'net10' | '2016';
  readonly etwFormat: 'tracelogging' | 'manifest';
  readonly userEventsFormat: 'eventheader' | 'plain';
  readonly throwOnErrors: boolean;
  readonly messages?: Messages;
}

/** The shared state of each definition, by its text; separate for each tracer, of which tests have several. */
const defined = new WeakMap<Tracer, Map<string, DefinedSource>>();

export function sharedSource(tracer: Tracer, definition: Definition): EventSource {
  // Each thread that defines sources joins the sessions.
  joinSessions();
  const known = defined.get(tracer) ?? new Map<string, DefinedSource>();
  defined.set(tracer, known);
  const layouts = definition.drafts.map(layoutText);
  const text = definitionText(tracer, definition, layouts);
  const shared = known.get(text);
  if (shared !== undefined) return shared.newSource();
  const fresh = new DefinedSource(tracer, definition, layouts, () => known.delete(text));
  known.set(text, fresh);
  return fresh.announced();
}

/** Includes the backend: a failed registration is retried by a later identical definition. */
function definitionText(
  tracer: Tracer,
  { drafts, events, ...others }: Definition,
  layouts: readonly string[],
): string {
  let text = JSON.stringify([tracer.backend, others], (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  for (const [index, { name, id, task }] of drafts.entries()) {
    const options = events[name]?.options;
    text += `\n${layouts[index]} ${id} ${task} ${options?.id} ${options?.activityOptions}`;
  }
  return text;
}

/** What the sources of one definition have in common, until all of them are closed. */
class DefinedSource {
  readonly #functions: PropertyDescriptorMap;
  readonly #members: PropertyDescriptorMap;
  readonly #subscriptions: Subscriptions;
  readonly #described: ManifestSource;
  readonly #source: EventSource;
  /** The number of open sources. */
  #users = 0;
  /** The steps of closing, in reverse order. */
  readonly #closing: (() => void)[] = [];

  /**
   * @param layouts the drafts' `layoutText`, which takes a tenth of the time of a definition
   * @param onClosed called when the last source is closed
   * @throws DefinitionError; then nothing of it remains
   */
  constructor(tracer: Tracer, definition: Definition, layouts: readonly string[], onClosed: () => void) {
    this.#closing.push(onClosed);
    try {
      const { provider, drafts, events, keywordNames, etwFormat, userEventsFormat } = definition;
      const shared = sharedActivities();
      const ids = new SharedIds(provider);
      const schemas = ids.take(drafts, events, layouts);
      // ETW recordings of manifest events also contain the manifest, so those ids must not change.
      if (etwFormat !== 'manifest' || tracer.backend !== 'etw') this.#closing.push(() => ids.release());
      const { messages = {} } = definition;
      this.#described = { ...provider, events: schemas, keywordNames, messages };
      this.#subscriptions = new Subscriptions(provider.name, () => shared.flow.begin(), keywordNames);
      const account = new Account();
      const { problem } = ids;
      if (problem !== undefined) account.tell('ids', () => problem);
      const context: SourceContext = {
        provider,
        tracer,
        account,
        throwOnErrors: definition.throwOnErrors,
        subscriptions: this.#subscriptions,
        source: () => this.#source,
      };
      const plain = userEventsFormat === 'plain' ? plainFormat(provider) : undefined;
      const writers = this.#writersOf(context, schemas, etwFormat, plain);
      const processId = definition.activityIds === '2016' ? 0 : process.pid;
      const activities = activitiesOf(provider.name, schemas, events, writers, processId, shared);
      const selfDescribing = new SelfDescribingEvents(
        context,
        selfDescribingFormat(context),
        keywordNames,
        processId,
        shared,
      );
      this.#closing.push(() => selfDescribing.close());
      this.#closing.push(onEtwCommand(tracer, provider, (command) => this.#subscriptions.send(command)));
      followTaskFlow(tracer, shared.flow);
      const isStartWanted = (): boolean =>
        [...activities.values()].some((activity) => activity.startEnabled) || selfDescribing.isStartWanted;
      this.#closing.push(shared.flow.keepWhile(isStartWanted));
      this.#closing.push(() => this.#subscriptions.close());
      this.#functions = Object.fromEntries(
        schemas.map((schema) => {
          const writer = writers.get(schema) as EventWriter;
          const value = eventFunction(provider, writer, activities.get(schema), shared);
          return [schema.name, { value, enumerable: true }];
        }),
      );
      const states = new StateRequests(context);
      this.#closing.push(() => states.close());
      const ask = ({ level = 0, keywords = 0n }) => states.ask({ kind: 'stop', level, keywords });
      this.#subscriptions.onTraceEnd = ask;
      this.#members = sourceMembers(context, schemas, activities, selfDescribing, plain, states);
      this.#source = this.newSource();
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** The first source, which is shown to observers of new sources. */
  announced(): EventSource {
    this.#subscriptions.announce(this.#source);
    return this.#source;
  }

  /** Adds another source. */
  newSource(): EventSource {
    this.#users++;
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      if (--this.#users === 0) this.#close();
    };
    const properties: PropertyDescriptorMap = {
      ...this.#functions,
      ...this.#members,
      // Checked again: an event must not have the name of an activity.
      ...this.#functions,
      close: { value: close, enumerable: true },
      [Symbol.dispose]: { value: close },
    };
    const source = Object.freeze(Object.defineProperties({}, properties)) as EventSource;
    rememberForManifest(source, this.#described);
    return source;
  }

  /** Makes the events known to the tracer and to subscribers, of which there are none yet. */
  #writersOf(
    context: SourceContext,
    schemas: readonly EventSchema[],
    etwFormat: 'tracelogging' | 'manifest',
    plain: TracerFormat | undefined,
  ): Map<EventSchema, EventWriter> {
    const { tracer, provider } = context;
    const hasManifest = etwFormat === 'manifest' && tracer.backend === 'etw';
    const format = hasManifest
      ? manifestFormat(provider, schemas)
      : ((tracer.backend === 'etw' ? undefined : plain) ?? selfDescribingFormat(context));
    const writers = new Map<EventSchema, EventWriter>();
    this.#closing.push(() => {
      for (const { audience } of writers.values()) tracer.release(audience);
    });
    for (const schema of schemas) writers.set(schema, new EventWriter(context, schema, format));
    for (const writer of writers.values()) {
      writer.register();
      context.subscriptions.add(writer.audience);
    }
    if (hasManifest) this.#closing.push(writeManifestInBand(context, this.#described));
    return writers;
  }

  #close(): void {
    for (const work of this.#closing.reverse()) work();
    this.#closing.length = 0;
  }
}

/** The key is the schema of either event of a pair. */
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
    // A pair by name only, with an opcode that says otherwise: a handle as for any pair, but no activity.
    const isTracked = start.opcode === Opcode.Start && stop.opcode === Opcode.Stop;
    const activity = new ActivityEvents(
      writers.get(start) as EventWriter,
      writers.get(stop) as EventWriter,
      activityName(provider, start.name, start.task),
      isTracked ? (events[start.name]?.options.activityOptions ?? 0) : ActivityOptions.Disable,
      processId,
      shared,
      events[start.name]?.options.traceContext,
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
