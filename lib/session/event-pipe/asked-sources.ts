/** The event sources of one thread that a session takes events of, as they come, and which of their events. */
import type { EventSchema } from '../../wire/schema.ts';
import type { Subscriber } from '../audience.ts';
import { passesEventFilter } from '../event-filter.ts';
import { observeSources } from '../sources.ts';
import { type Listenable, type Subscriptions, subscriptionsOf } from '../subscriptions.ts';
import type { ProviderRequest, ProviderRequests } from './requests.ts';

export class AskedSources {
  readonly #requests: ProviderRequests;
  readonly #subscriber: Subscriber;
  readonly #subscriptions = new Set<Subscriptions>();
  /** What is asked of sources where level and keywords, as listeners take them, do not say it all. */
  readonly #narrower = new Map<Listenable, ProviderRequest>();
  #stopObserving: () => void = () => {};
  #isOver = false;

  constructor(requests: ProviderRequests, subscriber: Subscriber) {
    this.#requests = requests;
    this.#subscriber = subscriber;
  }

  /** The subscriber gets events from now on. */
  start(): void {
    this.#stopObserving = observeSources((source) => this.#ask(source));
    // Ended by an event of a source that it was shown first.
    if (this.#isOver) this.#stopObserving();
  }

  /** Whether the event, which the subscriber was given, is asked for. */
  has(source: Listenable, schema: EventSchema): boolean {
    if (this.#narrower.size === 0) return true;
    const request = this.#narrower.get(source);
    if (request === undefined) return true;
    // To listeners, keywords of 0 are all; to sessions, none.
    if (request.keywords === 0n && schema.keywords !== 0n) return false;
    return passesEventFilter(request.filter, schema.id);
  }

  /** The subscriber gets no event any more. */
  end(): void {
    this.#isOver = true;
    this.#stopObserving();
    for (const subscriptions of this.#subscriptions) subscriptions.disable(this.#subscriber);
    this.#subscriptions.clear();
  }

  #ask(source: Listenable): void {
    const request = this.#requests.of(source.name);
    if (request === undefined || this.#isOver) return;
    const subscriptions = subscriptionsOf(source);
    this.#subscriptions.add(subscriptions);
    if (request.keywords === 0n || request.filter !== undefined) this.#narrower.set(source, request);
    subscriptions.enable(this.#subscriber, request);
  }
}
