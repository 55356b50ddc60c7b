/**
 * The collections for the subscribers of one event source, each at its own interval. Without subscribers, nothing runs.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Subscriber } from '../listen/audience.ts';
import { argumentTexts } from '../listen/commands.ts';
import { type Request, subscriptionsOf } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';

/** What one subscriber receives. */
export interface Collection {
  readonly milliseconds: number;
  /** Called once, before the first interval. */
  start(): void;
  /** Called at the end of each interval. Must not throw. */
  collect(): void;
  end(): void;
}

export type Arguments = Readonly<Record<string, string>>;
type Begin<Kind extends Collection> = (
  subscriber: Subscriber,
  args: Arguments,
  request: Request,
) => Kind | undefined;

interface Running<Kind extends Collection> {
  /** What was requested, to detect a change. */
  readonly asked: string;
  readonly collection: Kind | undefined;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The longest interval of a Node.js timer. */
export const MAX_MILLISECONDS = 0x7fff_ffff;

export class Collections<Kind extends Collection> {
  readonly #source: Listenable;
  readonly #begin: Begin<Kind>;
  readonly #running = new Map<Subscriber, Running<Kind>>();
  /** Timers must not belong to the request or activity in which something happens to start listening. */
  readonly #outside = new AsyncResource('TracewrightCounters');

  /** @param begin creates the collection for a subscriber; undefined if it requests none */
  constructor(source: Listenable, begin: Begin<Kind>) {
    this.#source = source;
    this.#begin = begin;
    subscriptionsOf(source).onCommand(() => this.#outside.runInAsyncScope(() => this.#update()));
  }

  get all(): readonly Kind[] {
    const collections: Kind[] = [];
    for (const { collection } of this.#running.values()) {
      if (collection !== undefined) collections.push(collection);
    }
    return collections;
  }

  #update(): void {
    const { requests } = subscriptionsOf(this.#source);
    for (const [subscriber, { asked }] of [...this.#running]) {
      const request = requests.get(subscriber);
      if (request === undefined || askedBy(request) !== asked) this.#stop(subscriber);
    }
    for (const [subscriber, request] of [...requests]) {
      if (!this.#running.has(subscriber)) this.#start(subscriber, request);
    }
  }

  #start(subscriber: Subscriber, request: Request): void {
    const collection = this.#begin(subscriber, argumentTexts(request.arguments ?? {}), request);
    const timer =
      collection === undefined
        ? undefined
        : setInterval(() => collection.collect(), collection.milliseconds).unref();
    // Registered before it starts, because its first events may trigger further commands.
    this.#running.set(subscriber, { asked: askedBy(request), collection, timer });
    collection?.start();
  }

  #stop(subscriber: Subscriber): void {
    const running = this.#running.get(subscriber);
    this.#running.delete(subscriber);
    clearInterval(running?.timer);
    running?.collection?.end();
  }
}

function askedBy({ level = 0, keywords = 0n, arguments: args = {} }: Request): string {
  return JSON.stringify([level, String(keywords), argumentTexts(args)]);
}
