/** The inputs of a playback of any kind, as batches of raw events to pull, or as a push source. */
import { setImmediate as otherWork } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Observable, Subscription } from 'rxjs';
import { type OpenTraceOptions, openTrace } from '../trace/open-trace.ts';
import { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { PlaybackError } from './playback-error.ts';

/** The possible sources of raw events. */
export type EventFeed<Raw> = Observable<Raw> | AsyncIterable<Raw> | Iterable<Raw>;

/** A trace, or anything that `openTrace` accepts. */
export type TraceInput = Trace | string | URL | Uint8Array | AsyncIterable<Uint8Array>;

export type Batches<Raw> = AsyncIterator<readonly Raw[], undefined>;
type Pulled<Raw> = Promise<IteratorResult<readonly Raw[], undefined>>;

/** How many events are taken from an iterable before other work of the process gets a turn. */
const ITERABLE_BATCH = 1024;

/** @throws PlaybackError if it is invalid */
export function checkFeed(feed: EventFeed<unknown>): void {
  const isFeed =
    typeof feed === 'object' &&
    feed !== null &&
    (isSubscribable(feed) || Symbol.asyncIterator in feed || Symbol.iterator in feed);
  if (isFeed) return;
  throw new PlaybackError(
    `Events must come from an observable, an async iterable or an iterable, not from ${inspect(feed, { depth: 1 })}.`,
  );
}

export function isSubscribable<Raw>(feed: EventFeed<Raw> | BatchFeed<Raw>): feed is Observable<Raw> {
  return 'subscribe' in feed && typeof feed.subscribe === 'function';
}

/** Batches from a function, not an iterator: nothing is opened before the playback starts. */
export interface BatchFeed<Raw> {
  batches(): Batches<Raw>;
}

/** Opens the trace when the first batch is requested. */
export class TraceFeed implements BatchFeed<TraceEvent> {
  readonly #input: TraceInput;
  readonly #options: OpenTraceOptions;

  constructor(input: TraceInput, options: OpenTraceOptions) {
    this.#input = input;
    this.#options = options;
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], undefined, undefined> {
    const input = this.#input;
    const trace = input instanceof Trace ? input : await openTrace(input, this.#options);
    yield* trace.batches();
    return undefined;
  }
}

export function batchesOf<Raw>(feed: EventFeed<Raw> | BatchFeed<Raw>): Batches<Raw> {
  if (isSubscribable(feed)) return new PushedBatches(feed);
  if (Symbol.asyncIterator in feed) return new SingleEventBatches(feed);
  return Symbol.iterator in feed ? batchesOfMany(feed) : feed.batches();
}

/** This is no generator: `return` must reach the feed immediately, even while its next event is pending. */
class SingleEventBatches<Raw> implements Batches<Raw> {
  readonly #feed: AsyncIterable<Raw>;
  #iterator: AsyncIterator<Raw> | undefined;

  constructor(feed: AsyncIterable<Raw>) {
    this.#feed = feed;
  }

  async next(): Pulled<Raw> {
    this.#iterator ??= this.#feed[Symbol.asyncIterator]();
    const result = await this.#iterator.next();
    return result.done ? END : { done: false, value: [result.value] };
  }

  async return(): Pulled<Raw> {
    await this.#iterator?.return?.();
    return END;
  }
}

async function* batchesOfMany<Raw>(
  feed: Iterable<Raw>,
): AsyncGenerator<readonly Raw[], undefined, undefined> {
  let batch: Raw[] = [];
  for (const raw of feed) {
    if (batch.push(raw) < ITERABLE_BATCH) continue;
    yield batch;
    batch = [];
    await otherWork();
  }
  if (batch.length > 0) yield batch;
  return undefined;
}

const END = { done: true, value: undefined } as const;

/** How many events of an observable may wait for other inputs: an observable cannot be slowed down. */
const MAX_WAITING = 1 << 20;

/** What an observable has pushed since the last pull. */
class PushedBatches<Raw> implements Batches<Raw> {
  #waiting: Raw[] = [];
  /** What comes after the waiting events. */
  #end: (() => Pulled<Raw>) | undefined;
  #wake: () => void = () => {};
  readonly #feed: Observable<Raw>;
  #subscription: Subscription | undefined;

  constructor(feed: Observable<Raw>) {
    this.#feed = feed;
  }

  async next(): Pulled<Raw> {
    this.#subscription ??= this.#feed.subscribe({
      next: (raw) => {
        if (this.#end !== undefined) return;
        this.#waiting.push(raw);
        if (this.#waiting.length === MAX_WAITING) this.#overflow();
        this.#wake();
      },
      complete: () => this.#finish(() => Promise.resolve(END)),
      error: (error) => this.#finish(() => Promise.reject(error)),
    });
    if (this.#waiting.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#waiting.length === 0) return this.#end?.() ?? END;
    const value = this.#waiting;
    this.#waiting = [];
    return { done: false, value };
  }

  async return(): Pulled<Raw> {
    this.#subscription?.unsubscribe();
    this.#waiting = [];
    this.#finish(() => Promise.resolve(END));
    return END;
  }

  #overflow(): void {
    this.#subscription?.unsubscribe();
    const message = `${MAX_WAITING} events of an observable are waiting for slower inputs: pass an iterable, which can be slowed down, or set the playback's maxWaitMs.`;
    this.#finish(() => Promise.reject(new PlaybackError(message)));
  }

  #finish(end: () => Pulled<Raw>): void {
    this.#end ??= end;
    this.#wake();
  }
}
