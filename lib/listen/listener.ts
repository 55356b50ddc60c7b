/**
 * Listening inside the process: a handler that receives events as they are written. Works on every platform, with or
 * without a tracer.
 */
import type { Guid } from '../activity/guid.ts';
import { thrownTextWithStack } from '../base/value-text.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import type { Subscriber } from './audience.ts';
import type { ListenerFilter } from './filter.ts';
import { subscriptionsOf } from './subscriptions.ts';
import type { Listenable } from './written-event.ts';
import { WrittenEvent } from './written-event.ts';

export type EventHandler<Written extends WrittenEvent = WrittenEvent> = (event: Written) => void;

/** An active listener. */
export interface Subscription {
  /** Stops calling the handler. */
  close(): void;
  /** How often the handler threw. The first time is also reported as a process warning. */
  readonly failures: number;
  /** Events that the handler itself wrote: it is not called recursively. */
  readonly skipped: number;
  [Symbol.dispose](): void;
}

/** One handler, with its own count of failures. */
export class Listener implements Subscriber {
  failures = 0;
  skipped = 0;
  isClosed = false;
  readonly #handler: EventHandler;
  #running = false;

  constructor(handler: EventHandler) {
    this.#handler = handler;
  }

  /** This never throws: a listener must not affect the code that writes an event. */
  deliver(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    timestamp: bigint,
  ): void {
    // Closed by another handler to which the same event was delivered first.
    if (this.isClosed) return;
    if (this.#running) {
      this.skipped++;
      return;
    }
    this.#running = true;
    try {
      this.#handler(new WrittenEvent(source, schema, payload, activityId, relatedActivityId, timestamp));
    } catch (error) {
      this.fail(error, `A listener of ${source.name} threw on the event ${schema.name}`);
    } finally {
      this.#running = false;
    }
  }

  /** Counts an exception of a handler. */
  fail(error: unknown, what: string): void {
    if (this.failures++ > 0) return;
    process.emitWarning(`${what}: ${thrownTextWithStack(error)}`, 'TracewrightWarning');
  }
}

/**
 * Calls the handler for each event of the source from now on, in the order and on the thread in which they are written,
 * before the writing call returns. For several or future sources use `EventListener`.
 *
 * In TypeScript, `event.name` determines which fields `event.payload` has. Events written with `source.write` have
 * their own names and fields.
 *
 * @returns the subscription; `close()` ends it
 * @throws RangeError for an invalid filter, or a keyword that the source does not define
 */
export function listen<Written extends WrittenEvent>(
  source: Listenable<Written>,
  handler: EventHandler<Written>,
  filter: ListenerFilter = {},
): Subscription {
  const subscriptions = subscriptionsOf(source);
  const listener = new Listener(handler as EventHandler);
  subscriptions.enable(listener, filter);
  const close = () => {
    listener.isClosed = true;
    subscriptions.disable(listener);
  };
  return {
    close,
    get failures() {
      return listener.failures;
    },
    get skipped() {
      return listener.skipped;
    },
    [Symbol.dispose]: close,
  };
}
