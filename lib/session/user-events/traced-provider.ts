/** What a session of user_events asks of one provider, on one thread: its events go to tracepoints. */
import type { Guid } from '../../activity/guid.ts';
import type { UserEventsProvider } from '../../wire/diagnostics-ipc/tracing.ts';
import type { EventSchema } from '../../wire/schema.ts';
import type { Payload } from '../../wire/values/faults.ts';
import type { Subscriber } from '../audience.ts';
import { passesEventFilter } from '../event-filter.ts';
import { parseArguments } from '../event-pipe/provider-text.ts';
import { type Listenable, type Request, type Subscriptions, subscriptionsOf } from '../subscriptions.ts';
import { TracepointEvent, type TracepointWriter } from './tracepoint-event.ts';
import { tracepointOf } from './tracepoints.ts';

export class TracedProvider implements Subscriber {
  readonly #provider: UserEventsProvider;
  readonly #names: readonly string[];
  readonly #tracer: TracepointWriter;
  readonly #request: Request;
  readonly #subscriptions = new Set<Subscriptions>();
  /** Weak, because sources forget schemas of self-describing events. Without a tracepoint: those that go nowhere. */
  readonly #routes = new WeakMap<EventSchema, Route>();

  /**
   * @param names of the tracer's tracepoints
   * @throws SessionError for arguments that are none
   */
  constructor(provider: UserEventsProvider, names: readonly string[], tracer: TracepointWriter) {
    this.#provider = provider;
    this.#names = names;
    this.#tracer = tracer;
    this.#request = requestOf(provider);
  }

  /** The source's events are written from now on, if it is the provider's. */
  take(source: Listenable): void {
    if (source.name !== this.#provider.name) return;
    const subscriptions = subscriptionsOf(source);
    this.#subscriptions.add(subscriptions);
    subscriptions.enable(this, this.#request);
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
      route = { tracepoint: this.#tracepointOf(schema), event: undefined };
      this.#routes.set(schema, route);
    }
    const { tracepoint } = route;
    if (tracepoint === undefined || !this.#tracer.isRecorded(tracepoint)) return;
    route.event ??= new TracepointEvent(this.#tracer, tracepoint, source, schema);
    route.event.write(payload, activityId, relatedActivityId);
  }

  end(): void {
    for (const subscriptions of this.#subscriptions) subscriptions.disable(this);
    this.#subscriptions.clear();
  }

  /** Its place among the tracer's. Self-describing events have the id 0 here. */
  #tracepointOf({ id, keywords }: EventSchema): number | undefined {
    const { filter, tracepoints } = this.#provider;
    // To listeners, who have let it pass, keywords of 0 are all of them.
    if (keywords !== 0n && this.#provider.keywords === 0n) return undefined;
    const name = passesEventFilter(filter, id) ? tracepointOf(tracepoints, id) : undefined;
    return name === undefined ? undefined : this.#names.indexOf(name);
  }
}

interface Route {
  /** Undefined: the session does not take the event. */
  readonly tracepoint: number | undefined;
  /** Made when somebody records the tracepoint. */
  event: TracepointEvent | undefined;
}

function requestOf({ name, keywords, level, arguments: text }: UserEventsProvider): Request {
  return { keywords, level, arguments: parseArguments(text ?? '', name) };
}
