/**
 * Those who want an event: the kernel's tracer, by bit 0 of the enabled word, and subscribers of this thread.
 * Each event of a definition has an audience; self-describing events of one level, keywords and opcode share one.
 */
import type { Guid } from '../activity/guid.ts';
import { type EnabledWord, KERNEL_BIT } from '../platform/kernel.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import type { Listenable } from './subscriptions.ts';

/** Bit 1 of an enabled word: set while a subscriber of this thread wants the event. */
export const LISTENER_BIT = 2;
/** Any of these bits in an enabled word: somebody wants the event. */
export const WANTED_BITS = KERNEL_BIT | LISTENER_BIT;

/** Who gets events inside the process: a listener, a session, counters. */
export interface Subscriber {
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

export class Audience {
  readonly word: EnabledWord;
  readonly level: number;
  readonly keywords: bigint;
  #subscribers: readonly Subscriber[] = [];

  constructor(word: EnabledWord, level: number, keywords: bigint) {
    this.word = word;
    this.level = level;
    this.keywords = keywords;
  }

  /** Whether anybody is there. */
  get isThere(): boolean {
    return ((this.word.words[this.word.index] as number) & WANTED_BITS) !== 0;
  }

  /** In the order in which they came. Replaced, never changed: one may leave while an event is delivered. */
  get subscribers(): readonly Subscriber[] {
    return this.#subscribers;
  }

  join(subscriber: Subscriber): void {
    if (this.#subscribers.includes(subscriber)) return;
    this.#setSubscribers([...this.#subscribers, subscriber]);
  }

  leave(subscriber: Subscriber): void {
    if (!this.#subscribers.includes(subscriber)) return;
    this.#setSubscribers(this.#subscribers.filter((other) => other !== subscriber));
  }

  #setSubscribers(subscribers: readonly Subscriber[]): void {
    this.#subscribers = subscribers;
    const { words, index } = this.word;
    // Atomic, because the kernel changes its own bit of the word whenever it likes.
    if (subscribers.length > 0) Atomics.or(words, index, LISTENER_BIT);
    else Atomics.and(words, index, ~LISTENER_BIT);
  }
}
