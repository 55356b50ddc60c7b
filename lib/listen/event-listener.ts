/** A listener to many event sources, those to come among them. .NET: EventListener. */
import type { CommandArguments } from './commands.ts';
import { Listener, type Subscription } from './listener.ts';
import { observeSources } from './sources.ts';
import { type Subscriptions, subscriptionsOf } from './subscriptions.ts';
import type { Listenable, WrittenEvent } from './written-event.ts';

/** What an `EventListener` calls. What they throw harms nobody; it is counted as a failure. */
export interface EventListenerHandlers<Written extends WrittenEvent = WrittenEvent> {
  /**
   * Called once for each event source of the thread: for those that are there, before the listener's
   * constructor returns; for others, before `defineEventSource` returns. The place for `enableEvents`.
   */
  onEventSourceCreated?(source: Listenable, listener: EventListener<Written>): void;
  /** Called for each event that was asked for, in its order, before the call that writes it returns. */
  onEventWritten?(event: Written): void;
}

/** @typeParam Written the events that it gets, where it is known: `EventOf<typeof log>` */
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
    // Closed by its own handler, before there was a way to stop.
    if (this.#listener.isClosed) this.#stopObserving();
  }

  /**
   * Asks for events of the source, in place of what was asked for before. Its command handlers are told,
   * `enable`, each time.
   *
   * @param level this one and the more severe ones (lower numbers); 0: all
   * @param keywords events with any of them, and events without any; 0n: all
   * @param args for the source's command handlers, such as `{ EventCounterIntervalSec: 1 }`
   * @throws RangeError for a level or keywords that no event could be compared with
   */
  enableEvents(source: Listenable, level: number, keywords = 0n, args: CommandArguments = {}): void {
    if (this.#listener.isClosed) return;
    const subscriptions = subscriptionsOf(source);
    if (!subscriptions.isClosed) this.#enabled.add(subscriptions);
    subscriptions.enable(this.#listener, { level, keywords, arguments: args });
  }

  /** No event of the source any more. Its command handlers are told, `disable`, if events were asked for. */
  disableEvents(source: Listenable): void {
    const subscriptions = subscriptionsOf(source);
    this.#enabled.delete(subscriptions);
    subscriptions.disable(this.#listener);
  }

  /** Ends it: no events, no sources. .NET: Dispose. */
  close(): void {
    if (this.#listener.isClosed) return;
    this.#listener.isClosed = true;
    this.#stopObserving();
    for (const subscriptions of this.#enabled) subscriptions.disable(this.#listener);
  }

  /** How often a handler threw. The first time is reported as a process warning, too. */
  get failures(): number {
    return this.#listener.failures;
  }

  /** Events that `onEventWritten` itself wrote: it is not called inside its own call. */
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
