/**
 * Who wants an event: the tracer, through bit 0 of the enabled word, and subscribers of this thread. Each event of a
 * definition has an audience; self-describing events share one per combination of level, keywords and opcode.
 */
import type { Guid } from '../activity/guid.ts';
import { type EnabledWord, RELEASED_BIT, TRACER_BIT } from '../platform/tracer.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import type { Listenable } from './written-event.ts';

/** Bit 1 of an enabled word: set while a subscriber of this thread wants the event. */
export const LISTENER_BIT = 2;
/** Bit 3, of Start and Stop events: their activities begin and end even while nobody wants the events. */
const KEPT_BIT = 8;
/** Any of these bits in an enabled word: the event is enabled. */
export const WANTED_BITS = TRACER_BIT | LISTENER_BIT;
/** Any of these bits: the event is not to be passed over. Somebody wants it or its activity, or its source is closed. */
export const NOTICED_BITS = WANTED_BITS | KEPT_BIT | RELEASED_BIT;

/** A receiver of events inside the process: a listener, a session, counters. */
export interface Subscriber {
  /**
   * One number: the events that it has started to receive and has not counted yet. The writer counts up and the
   * subscriber down, by assignments, so that events are counted even if the stack overflows, memory runs out or the
   * code is terminated in the middle. Undefined if no one needs it.
   */
  readonly unfinished?: Int32Array;
  /**
   * Receives an event before the call that writes it returns. Must not throw. Not as a single object, which costs each
   * event 15 ns: a subscriber that shows it to applications creates a `WrittenEvent`, one that encodes it needs none.
   *
   * @param schema the same object for all events with one name and the same fields
   * @param timestamp nanoseconds since 1970
   */
  deliver(
    source: Listenable,
    schema: EventSchema,
    payload: Payload,
    activityId: Guid | undefined,
    relatedActivityId: Guid | undefined,
    timestamp: bigint,
  ): void;
}

/** Delivers an event to one subscriber only. */
export function deliverTo(subscriber: Subscriber, ...event: Parameters<Subscriber['deliver']>): void {
  const { unfinished } = subscriber;
  if (unfinished !== undefined) (unfinished[0] as number)++;
  subscriber.deliver(...event);
}

/** It is the enabled word, too, so that an event touches little memory. */
export class Audience implements EnabledWord {
  readonly words: Uint32Array;
  readonly index: number;
  readonly level: number;
  readonly keywords: bigint;
  /**
   * The order is that of arrival. The array is replaced, never modified: a subscriber may leave while an event is being
   * delivered.
   */
  subscribers: readonly Subscriber[] = [];

  constructor({ words, index }: EnabledWord, level: number, keywords: bigint) {
    this.words = words;
    this.index = index;
    this.level = level;
    this.keywords = keywords;
  }

  /** Whether there is any subscriber. */
  get isThere(): boolean {
    return ((this.words[this.index] as number) & WANTED_BITS) !== 0;
  }

  /** Whether the event's source is closed: no more subscribers can be added. */
  get isClosed(): boolean {
    return ((this.words[this.index] as number) & RELEASED_BIT) !== 0;
  }

  /** Whether the activity that the event starts begins. */
  get isStartNeeded(): boolean {
    return ((this.words[this.index] as number) & (WANTED_BITS | KEPT_BIT)) !== 0;
  }

  /** Sets whether the activity that the event starts or stops begins and ends even while nobody wants the events. */
  keep(isKept: boolean): void {
    const { words, index } = this;
    if (isKept && !this.isClosed) Atomics.or(words, index, KEPT_BIT);
    else Atomics.and(words, index, ~KEPT_BIT);
  }

  join(subscriber: Subscriber): void {
    if (this.isClosed || this.subscribers.includes(subscriber)) return;
    this.#setSubscribers([...this.subscribers, subscriber]);
  }

  leave(subscriber: Subscriber): void {
    if (!this.subscribers.includes(subscriber)) return;
    this.#setSubscribers(this.subscribers.filter((other) => other !== subscriber));
  }

  /** Shares the other audience's list if it is the same: with thousands of kinds of events, that is a cache miss less. */
  shareList(other: Audience | undefined): void {
    const list = other?.subscribers;
    if (list?.length !== this.subscribers.length) return;
    if (list.every((subscriber, index) => subscriber === this.subscribers[index])) this.subscribers = list;
  }

  #setSubscribers(subscribers: readonly Subscriber[]): void {
    this.subscribers = subscribers;
    const { words, index } = this;
    // Atomic, because the tracer may change its own bit of the word at any time.
    if (subscribers.length > 0) Atomics.or(words, index, LISTENER_BIT);
    else Atomics.and(words, index, ~LISTENER_BIT);
  }
}
