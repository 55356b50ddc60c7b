/**
 * Those who want an event: the tracer, by bit 0 of the enabled word, and subscribers of this thread.
 * Each event of a definition has an audience; self-describing events of one level, keywords and opcode share one.
 */
import type { Guid } from '../activity/guid.ts';
import { type EnabledWord, RELEASED_BIT, TRACER_BIT } from '../platform/tracer.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import type { Listenable } from './written-event.ts';

/** Bit 1 of an enabled word: set while a subscriber of this thread wants the event. */
export const LISTENER_BIT = 2;
/** Bit 3, of Start and Stop events: their activities begin and end even while nobody wants the events. */
export const KEPT_BIT = 8;
/** Any of these bits in an enabled word: somebody wants the event. */
export const WANTED_BITS = TRACER_BIT | LISTENER_BIT;
/** Any of these bits: the event is not to be passed over. Somebody wants it or its activity, or its source is closed. */
export const NOTICED_BITS = WANTED_BITS | KEPT_BIT | RELEASED_BIT;

/** Who gets events inside the process: a listener, a session, counters. */
export interface Subscriber {
  /**
   * One number: of events that it has begun to get, and that it has not counted as one thing or the other. Whoever
   * writes events counts up, the subscriber down, by assignments: so events are counted, too, amid which the stack or
   * the memory ended, or the code was terminated. Undefined where nobody wants to know.
   */
  readonly unfinished?: Int32Array;
  /**
   * Gets an event before the call that writes it returns. Must not throw. Not in one object, which costs each
   * event 15 ns: who shows it to applications makes a `WrittenEvent` of it, who encodes it needs none.
   *
   * @param schema the same object for all events of one name and the same fields
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

/** Gives an event to one subscriber alone. */
export function deliverTo(subscriber: Subscriber, ...event: Parameters<Subscriber['deliver']>): void {
  const { unfinished } = subscriber;
  if (unfinished !== undefined) (unfinished[0] as number)++;
  subscriber.deliver(...event);
}

export class Audience {
  readonly word: EnabledWord;
  readonly level: number;
  readonly keywords: bigint;
  /** In the order in which they came. Replaced, never changed: one may leave while an event is delivered. */
  subscribers: readonly Subscriber[] = [];

  constructor(word: EnabledWord, level: number, keywords: bigint) {
    this.word = word;
    this.level = level;
    this.keywords = keywords;
  }

  /** Whether anybody is there. */
  get isThere(): boolean {
    return ((this.word.words[this.word.index] as number) & WANTED_BITS) !== 0;
  }

  /** Whether the event's source is closed: nobody can come any more. */
  get isClosed(): boolean {
    return ((this.word.words[this.word.index] as number) & RELEASED_BIT) !== 0;
  }

  /** Whether the activity that the event starts begins. */
  get isStartNeeded(): boolean {
    return ((this.word.words[this.word.index] as number) & (WANTED_BITS | KEPT_BIT)) !== 0;
  }

  /** Has the activity that the event starts or stops begin and end even while nobody wants the event, or no more. */
  keep(isKept: boolean): void {
    const { words, index } = this.word;
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

  #setSubscribers(subscribers: readonly Subscriber[]): void {
    this.subscribers = subscribers;
    const { words, index } = this.word;
    // Atomic, because the tracer changes its own bit of the word whenever it likes.
    if (subscribers.length > 0) Atomics.or(words, index, LISTENER_BIT);
    else Atomics.and(words, index, ~LISTENER_BIT);
  }
}
