/**
 * Listening inside the process: a handler that gets the events of one source as they are written. Works on
 * every platform, with or without a kernel tracer.
 */
import type { EventSchema } from '../wire/schema.ts';
import { thrownTextWithStack } from './shown.ts';

/** Bit 1 of an enabled word: set while a listener of this thread wants the event. */
export const LISTENER_BIT = 2;

/** One event as it was written. */
export interface WrittenEvent {
  readonly provider: string;
  readonly name: string;
  /** 1 to 255; see `Level`. */
  readonly level: number;
  /** 64 bits. */
  readonly keywords: bigint;
  /** 0 to 255; see `Opcode`. */
  readonly opcode: number;
  /** 1 to 65535. */
  readonly id: number;
  /** The activity it belongs to, as GUID text in lower case. */
  readonly activityId: string | undefined;
  /** For a start: the activity that it was started in. */
  readonly relatedActivityId: string | undefined;
  /** The very object that the event was written with. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Nanoseconds since 1970. */
  readonly timestamp: bigint;
}

export type EventHandler = (event: WrittenEvent) => void;

/** Which events a listener wants. */
export interface ListenerFilter {
  /** This level and the more severe ones (lower numbers); 0 or absent: all. */
  readonly level?: number;
  /** Events with any of these keywords, and events without any; 0n or absent: all. */
  readonly keywords?: bigint;
}

/** A listener at work. */
export interface Subscription {
  /** No event reaches the handler any more. */
  close(): void;
  /** How often the handler threw. The first time is reported as a process warning, too. */
  readonly failures: number;
  /** Events of the source that the handler itself wrote: it is not called inside its own call. */
  readonly skipped: number;
  [Symbol.dispose](): void;
}

/** An event that can be listened to. */
export interface ListenableEvent {
  readonly schema: EventSchema;
  /** Those who get the event. Replaced, never changed: a handler may close itself while it is called. */
  listeners: readonly Listener[];
  /** Sets or clears bits of the enabled word. */
  setEnabledBit(bit: number, on: boolean): void;
}

/** What `listen` needs of an event source, and finds under this key. */
export const LISTENABLE: unique symbol = Symbol.for('tracewright.listenable.v1');
export interface Listenable {
  readonly [LISTENABLE]: {
    readonly events: readonly ListenableEvent[];
    /** Called when the first listener comes: activities are to flow from here on. */
    prepare(): void;
  };
}

/** One handler, with its own account of what went wrong. */
export class Listener implements Subscription {
  failures = 0;
  skipped = 0;
  readonly #handler: EventHandler;
  readonly #close: (listener: Listener) => void;
  #running = false;
  #closed = false;

  constructor(handler: EventHandler, close: (listener: Listener) => void) {
    this.#handler = handler;
    this.#close = close;
  }

  /** Never throws: the one who writes an event is not to suffer from the one who listens. */
  deliver(event: WrittenEvent): void {
    // Closed by another handler that the same event was delivered to before.
    if (this.#closed) return;
    if (this.#running) {
      this.skipped++;
      return;
    }
    this.#running = true;
    try {
      this.#handler(event);
    } catch (error) {
      if (this.failures++ === 0) {
        process.emitWarning(
          `A listener of ${event.provider} threw on the event ${event.name}: ${thrownTextWithStack(error)}`,
          'TracewrightWarning',
        );
      }
    } finally {
      this.#running = false;
    }
  }

  close(): void {
    this.#closed = true;
    this.#close(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Calls the handler for each event of the source from now on, in the order and on the thread in which they
 * are written, before the writing call returns.
 *
 * @returns the subscription; `close()` ends it
 */
export function listen(source: Listenable, handler: EventHandler, filter: ListenerFilter = {}): Subscription {
  const { events, prepare } = source[LISTENABLE];
  const wanted = events.filter((event) => passes(event.schema, filter));
  const listener = new Listener(handler, (closing) => {
    for (const event of wanted) {
      event.listeners = event.listeners.filter((other) => other !== closing);
      if (event.listeners.length === 0) event.setEnabledBit(LISTENER_BIT, false);
    }
  });
  prepare();
  for (const event of wanted) {
    event.listeners = [...event.listeners, listener];
    event.setEnabledBit(LISTENER_BIT, true);
  }
  return listener;
}

/** .NET's rule for levels and keywords: 0 asks for everything. */
function passes(event: EventSchema, filter: ListenerFilter): boolean {
  const level = filter.level ?? 0;
  const keywords = filter.keywords ?? 0n;
  return (
    (level === 0 || event.level <= level) &&
    (keywords === 0n || event.keywords === 0n || (event.keywords & keywords) !== 0n)
  );
}
