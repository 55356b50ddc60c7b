/**
 * The event sources of one thread from which sessions take events, as they are defined, and the events requested of
 * each.
 */

import { sharedActivities } from '../activity/shared.ts';
import type { Subscriber } from '../listen/audience.ts';
import { namedCommand } from '../listen/commands.ts';
import { eventIdTest } from '../listen/filter.ts';
import { eventSources, observeSources } from '../listen/sources.ts';
import { subscriptionsOf } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { EventSchema } from '../wire/schema.ts';
import { inBitsOf, type ProviderRequest, type ProviderRequests } from './requests.ts';

export class SessionSources {
  readonly #requests: ProviderRequests;
  readonly #subscriber: Subscriber;
  /** The sessions that the subscriber takes events for: each enables and disables the sources. */
  readonly #senders = new Set<object>();
  readonly #asked = new Map<Listenable, ProviderRequest>();
  /** The keys are the sources whose events are also selected by id; the value tells whether an id is selected. */
  readonly #idTests = new Map<Listenable, (eventId: number) => boolean>();
  #stopObserving: (() => void) | undefined;
  #isOver = false;

  constructor(requests: ProviderRequests, subscriber: Subscriber) {
    this.#requests = requests;
    this.#subscriber = subscriber;
  }

  /**
   * Delivers events to the subscriber from now on, and first the activities that are open; `sender` is the session that
   * enables the sources.
   */
  add(sender: object): void {
    if (this.#isOver) return;
    this.#senders.add(sender);
    if (this.#stopObserving === undefined) this.#observe();
    else for (const [source, request] of [...this.#asked]) this.#enable(source, request, sender);
    // In order, so that each comes after the one around it.
    for (const activity of sharedActivities().tracker.open()) {
      const { start } = activity;
      start?.starter.tellOpen(activity, start, this.#subscriber);
    }
  }

  /** Whether an event that the subscriber received is requested. */
  has(source: Listenable, schema: EventSchema): boolean {
    return this.#idTests.size === 0 || this.#idTests.get(source)?.(schema.id) !== false;
  }

  /** The session no longer enables the sources. */
  remove(sender: object): void {
    if (!this.#senders.delete(sender)) return;
    for (const source of [...this.#asked.keys()]) subscriptionsOf(source).disable(this.#subscriber, sender);
  }

  /** Asks the sources for their state: at once before the trace `stop`s; otherwise as ETW's sessions ask for it. */
  captureState(kind: 'start' | 'stop'): void {
    for (const [source, request] of [...this.#asked]) {
      const subscriptions = subscriptionsOf(source);
      if (kind === 'stop') subscriptions.onTraceEnd?.(request);
      else {
        const { level, keywords: anyKeyword } = request;
        subscriptions.send(namedCommand('sendManifest', { level, anyKeyword }));
      }
    }
  }

  /** Delivers no more events to the subscriber. */
  end(): void {
    this.#isOver = true;
    this.#stopObserving?.();
    for (const sender of [...this.#senders]) this.remove(sender);
    this.#asked.clear();
  }

  #observe(): void {
    // Set first: a newly shown source may add another session, or end this one.
    this.#stopObserving = () => {};
    const stop = observeSources({
      onSource: (source) => this.#ask(source),
      onClosed: (source) => this.#forget(source),
    });
    if (this.#isOver) stop();
    else this.#stopObserving = stop;
  }

  #forget(source: Listenable): void {
    this.#asked.delete(source);
    this.#idTests.delete(source);
  }

  #ask(source: Listenable): void {
    const named = this.#requests.of(source.name);
    if (this.#isOver) return;
    if (named === undefined) {
      warnOfCase(source.name, this.#requests);
      return;
    }
    const request = inBitsOf(source, named, (problem) => warnOnce(`${source.name}: ${problem}`));
    this.#asked.set(source, request);
    if (request.filter !== undefined) this.#idTests.set(source, eventIdTest(request.filter));
    for (const sender of [...this.#senders]) this.#enable(source, request, sender);
  }

  #enable(source: Listenable, request: ProviderRequest, sender: object): void {
    const asked = { ...asFilter(request), either: request.either?.map(asFilter) };
    if (this.#senders.has(sender)) subscriptionsOf(source).enable(this.#subscriber, asked, sender);
  }
}

/** Keywords of 0 select events without keywords for a session, and all events for a listener. */
function asFilter<Of extends { readonly keywords: bigint }>(request: Of) {
  return { ...request, onlyWithoutKeywords: request.keywords === 0n };
}

const warned = new Set<string>();

/** A thread can have many sources with one definition, and many sessions. */
function warnOnce(problem: string, key = problem): void {
  if (warned.has(key)) return;
  warned.add(key);
  process.emitWarning(`${problem} A session requests it in vain.`, 'TracewrightWarning');
}

/** A source that nobody requests may be meant by a name in another case, unless there is one with that name, too. */
function warnOfCase(name: string, requests: ProviderRequests): void {
  const asked = requests.inOtherCase(name);
  if (asked === undefined || eventSources().some((source) => source.name === asked)) return;
  warnOnce(`There is no ${asked}: names of providers are case-sensitive, and this one is ${name}.`, name);
}
