/** One thread's part in a user_events session: observes that thread's sources as they are defined. */

import type { Guid } from '../../activity/guid.ts';
import type { Subscriber } from '../../listen/audience.ts';
import type { Listenable } from '../../listen/written-event.ts';
import type { UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import type { EventSchema } from '../../wire/schema.ts';
import type { Payload } from '../../wire/values/faults.ts';
import { KindIds } from '../event-kinds.ts';
import { ProviderRequests } from '../requests.ts';
import { sessionProvider } from '../session-provider.ts';
import { SessionSources } from '../session-sources.ts';
import { TracepointEvent, type TracepointWriter } from './tracepoint-event.ts';
import { tracepointNames, tracepointOf } from './tracepoints.ts';

export class ThreadPart {
  readonly #providers: readonly TracedProvider[];

  constructor(providers: readonly UserEventsProvider[], tracer: TracepointWriter) {
    const names = tracepointNames(providers);
    this.#providers = providers.map((provider) => new TracedProvider(provider, names, tracer));
    for (const provider of this.#providers) provider.start();
  }

  end(): void {
    for (const provider of this.#providers) provider.end();
  }
}

/** What a user_events session requests from one provider, on one thread: its events go to tracepoints. */
class TracedProvider implements Subscriber {
  readonly #provider: UserEventsProvider;
  readonly #names: readonly string[];
  readonly #tracer: TracepointWriter;
  readonly #ids = new KindIds();
  readonly #asked: SessionSources;
  /** Weak, because sources discard the schemas of self-describing events. */
  readonly #routes = new WeakMap<EventSchema, Route>();

  /**
   * @param names the names of the tracer's tracepoints
   * @throws SessionError if the request is invalid
   */
  constructor(provider: UserEventsProvider, names: readonly string[], tracer: TracepointWriter) {
    this.#provider = provider;
    this.#names = names;
    this.#tracer = tracer;
    this.#asked = new SessionSources(ProviderRequests.from([sessionProvider(provider)]), this);
  }

  start(): void {
    this.#asked.add(this);
  }

  deliver(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
  ): void {
    let route = this.#routes.get(schema);
    if (route === undefined) {
      route = { tracepoint: this.#tracepointOf(source, schema), event: undefined };
      this.#routes.set(schema, route);
    }
    const { tracepoint } = route;
    if (tracepoint === undefined || !this.#tracer.isRecorded(tracepoint)) return;
    route.event ??= new TracepointEvent(
      this.#tracer,
      tracepoint,
      source,
      schema,
      this.#ids.idOf({ source, schema }),
    );
    route.event.write(payload, activityId, relatedActivityId);
  }

  end(): void {
    this.#asked.end();
    this.#ids.end();
  }

  /** The index among the tracer's tracepoints. Self-describing events have the id 0 here. */
  #tracepointOf(source: Listenable, schema: EventSchema): number | undefined {
    if (!this.#asked.has(source, schema)) return undefined;
    const name = tracepointOf(this.#provider.tracepoints, schema.id);
    return name === undefined ? undefined : this.#names.indexOf(name);
  }
}

interface Route {
  /** The tracepoint is undefined if the session does not take the event. */
  readonly tracepoint: number | undefined;
  /** Created once the tracepoint is being recorded. */
  event: TracepointEvent | undefined;
}
