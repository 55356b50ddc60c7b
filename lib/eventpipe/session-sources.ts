/**
 * The event sources of one thread from which a session takes events, as they are defined, and which events it takes.
 */

import type { Subscriber } from '../listen/audience.ts';
import { eventIdTest } from '../listen/filter.ts';
import { observeSources } from '../listen/sources.ts';
import { type Subscriptions, subscriptionsOf } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { ProviderRequests } from './requests.ts';

export class SessionSources {
  readonly #requests: ProviderRequests;
  readonly #subscriber: Subscriber;
  readonly #subscriptions = new Set<Subscriptions>();
  /** Of the sources that are asked for events by their ids, too: whether an id is asked for. */
  readonly #idTests = new Map<Listenable, (eventId: number) => boolean>();
  #stopObserving: () => void = () => {};
  #isOver = false;

  constructor(requests: ProviderRequests, subscriber: Subscriber) {
    this.#requests = requests;
    this.#subscriber = subscriber;
  }

  /** The subscriber gets events from now on. */
  start(): void {
    this.#stopObserving = observeSources({
      onSource: (source) => this.#ask(source),
      onClosed: (source) => this.#forget(source),
    });
    // Ended by an event of a source that it was shown first.
    if (this.#isOver) this.#stopObserving();
  }

  /** Whether an event that the subscriber received is requested. */
  has(source: Listenable, schema: EventSchema): boolean {
    return this.#idTests.size === 0 || this.#idTests.get(source)?.(schema.id) !== false;
  }

  /** The subscriber receives no more events. */
  end(): void {
    this.#isOver = true;
    this.#stopObserving();
    for (const subscriptions of this.#subscriptions) subscriptions.disable(this.#subscriber);
    this.#subscriptions.clear();
  }

  #forget(source: Listenable): void {
    this.#subscriptions.delete(subscriptionsOf(source));
    this.#idTests.delete(source);
  }

  #ask(source: Listenable): void {
    const request = this.#requests.of(source.name);
    if (request === undefined || this.#isOver) return;
    const subscriptions = subscriptionsOf(source);
    this.#subscriptions.add(subscriptions);
    if (request.filter !== undefined) this.#idTests.set(source, eventIdTest(request.filter));
    // To listeners, keywords of 0 are all.
    subscriptions.enable(this.#subscriber, { ...request, onlyWithoutKeywords: request.keywords === 0n });
  }
}
