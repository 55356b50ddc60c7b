/** A listener to many event sources, including future ones. .NET: EventListener. */
import type { CommandArguments } from './commands.ts';
import type { Keywords } from './filter.ts';
import { Listener, type Subscription } from './listener.ts';
import { observeSources } from './sources.ts';
import { type Subscriptions, subscriptionsOf } from './subscriptions.ts';
import type { Listenable, WrittenEvent } from './written-event.ts';

/** The callbacks of an `EventListener`. Exceptions they throw affect no one; they are counted as failures. */
export interface EventListenerHandlers<Written extends WrittenEvent = WrittenEvent> {
  /**
   * Called once for each event source of the thread: for existing ones before the listener's constructor returns, for
   * others before `defineEventSource` returns. The place to call `enableEvents`.
   */
  onEventSourceCreated?(source: Listenable, listener: EventListener<Written>): void;
  /** Called for each requested event, in order, before the call that writes it returns. */
  onEventWritten?(event: Written): void;
}

/** @typeParam Written the events that it receives, if known: `EventOf<typeof log>` */
export class EventListener<Written extends WrittenEvent = WrittenEvent> implements Subscription {
  readonly #handlers: EventListenerHandlers<Written>;
  readonly #listener: Listener;
  readonly #enabled = new Set<Subscriptions>();
  #stopObserving: () => void = () => {};

  constructor(handlers: EventListenerHandlers<Written>) {
    this.#handlers = handlers;
    this.#listener = new Listener((event) => handlers.onEventWritten?.(event as Written));
    this.#stopObserving = observeSources({
      onSource: (source) => this.#show(source),
      onClosed: (source) => void this.#enabled.delete(subscriptionsOf(source)),
    });
    // Closed by its own handler, before it could be stopped.
    if (this.#listener.isClosed) this.#stopObserving();
  }

  /**
   * Requests events of the source, replacing the previous request. Each time, its command handlers receive `enable`.
   *
   * @param level this level and the more severe ones (lower numbers); 0 for all
   * @param keywords events with any of them, as bits or names, and events without keywords; 0n for all
   * @param args for the source's command handlers, such as `{ EventCounterIntervalSec: 1 }`
   * @throws RangeError for an invalid level or keywords
   */
  enableEvents(
    source: Listenable,
    level: number,
    keywords: Keywords = 0n,
    args: CommandArguments = {},
  ): void {
    if (this.#listener.isClosed) return;
    const subscriptions = subscriptionsOf(source);
    if (!subscriptions.isClosed) this.#enabled.add(subscriptions);
    subscriptions.enable(this.#listener, { level, keywords, arguments: args });
  }

  /** Stops the events of the source. Its command handlers receive `disable` if events had been requested. */
  disableEvents(source: Listenable): void {
    const subscriptions = subscriptionsOf(source);
    this.#enabled.delete(subscriptions);
    subscriptions.disable(this.#listener);
  }

  /** Ends it: no more events, no more sources. .NET: Dispose. */
  close(): void {
    if (this.#listener.isClosed) return;
    this.#listener.isClosed = true;
    this.#stopObserving();
    for (const subscriptions of this.#enabled) subscriptions.disable(this.#listener);
  }

  /** How often a handler threw. The first time is also reported as a process warning. */
  get failures(): number {
    return this.#listener.failures;
  }

  /** Events that `onEventWritten` itself wrote: it is not called recursively. */
  get skipped(): number {
    return this.#listener.skipped;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #show(source: Listenable): void {
    if (this.#listener.isClosed) return;
    try {
      this.#handlers.onEventSourceCreated?.(source, this);
    } catch (error) {
      this.#listener.fail(error, `A listener threw when it was shown the event source ${source.name}`);
    }
  }
}
