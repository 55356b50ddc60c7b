/**
 * Plays traces, logs and live feeds as a single stream of events, which answers any number of queries in one pass, in
 * the time of the events.
 *
 * Source: Tx ("Tracing with Rx"), whose semantics this implements; docs/playback.md lists the differences.
 */
import { filter, type Observable, Subject } from 'rxjs';
import type { OpenTraceOptions } from '../trace/open-trace.ts';
import type { Nanoseconds, TraceEvent } from '../trace/trace-event.ts';
import { Demultiplexer } from './demultiplexer.ts';
import { type Deliver, Deserializer, type Reading } from './deserializer.ts';
import {
  type EventClass,
  type EventPredicate,
  type EventType,
  isPredicate,
  type NamedType,
  type OccurrenceOf,
  type PlayedEvent,
} from './event-type.ts';
import {
  type BatchFeed,
  batchesOf,
  checkFeed,
  type EventFeed,
  isSubscribable,
  TraceFeed,
  type TraceInput,
} from './feed.ts';
import { type Instant, nanosecondsOf } from './instant.ts';
import { Merge } from './merge.ts';
import { PlaybackError } from './playback-error.ts';
import { type InputRun, SoloPull, SoloPush } from './single-input.ts';
import { Timeline, type Timestamped } from './timeline.ts';
import type { TypeMap } from './type-map.ts';
import { VirtualTime } from './virtual-time.ts';

export interface PlaybackOptions {
  /** Earlier events are skipped, and virtual time starts here instead of with the first event. */
  readonly startTime?: Instant;
  /** Later events are skipped. */
  readonly endTime?: Instant;
  /** Classes whose instances type maps create for `getAll()` and predicates, even if no query names them. */
  readonly knownTypes?: readonly EventClass[];
  /**
   * Milliseconds after which the other inputs continue without one that has nothing to deliver. Its events are then
   * late; virtual time does not go back for them. By default they wait, which suits files.
   */
  readonly maxWaitMs?: number;
}

export interface TraceInputOptions extends OpenTraceOptions {
  /** Create instances of classes from the trace's events, which are also delivered themselves. */
  readonly typeMaps?: readonly TypeMap<TraceEvent>[];
}

/** A running playback. */
export interface RunningPlayback {
  /** Resolves at the end of all inputs, or after `close`; rejects with the error that the observers get. */
  readonly finished: Promise<void>;
  /** Ends the playback: for its observers, as if the inputs had ended. */
  close(): void;
  [Symbol.dispose](): void;
}

interface Input {
  readonly feed: EventFeed<unknown> | BatchFeed<unknown>;
  readonly deserializer: Deserializer<unknown>;
}

export class Playback {
  /** Virtual time, for RxJS's time-based operators. */
  readonly scheduler = new VirtualTime();
  readonly #startTime: Nanoseconds | undefined;
  readonly #endTime: Nanoseconds | undefined;
  readonly #maxWaitMs: number;
  readonly #demultiplexer = new Demultiplexer();
  readonly #inputs: Input[] = [];
  readonly #observables = new Map<EventType, Observable<unknown>>();
  #all: Subject<unknown> | undefined;
  #isStarted = false;
  #executionDuration: number | undefined;

  constructor(options: PlaybackOptions = {}) {
    const { startTime, endTime, knownTypes = [], maxWaitMs = Number.POSITIVE_INFINITY } = options;
    if (typeof maxWaitMs !== 'number' || !(maxWaitMs >= 0)) {
      throw new PlaybackError(`maxWaitMs must be a number of at least 0, not ${String(maxWaitMs)}.`);
    }
    this.#maxWaitMs = maxWaitMs;
    if (startTime !== undefined) {
      this.#startTime = nanosecondsOf(startTime, 'startTime');
      this.scheduler.start(this.#startTime);
    }
    if (endTime !== undefined) this.#endTime = nanosecondsOf(endTime, 'endTime');
    for (const type of knownTypes) this.#demultiplexer.know(type);
  }

  /** The duration of the playback in milliseconds; undefined until it has ended. */
  get executionDuration(): number | undefined {
    return this.#executionDuration;
  }

  /** Adds a trace: an open one, or anything that `openTrace` accepts, to be opened when the playback starts. */
  addTrace(trace: TraceInput, options: TraceInputOptions = {}): this {
    const { typeMaps = [], ...openOptions } = options;
    const timeOf = (event: TraceEvent) => event.timestamp;
    return this.#addInput(new TraceFeed(trace, openOptions), { timeOf, typeMaps });
  }

  /**
   * Adds any other log, or a live feed.
   *
   * @param reading the time of an event, if raw events are themselves events; or type maps
   */
  addEvents<Raw>(
    feed: EventFeed<Raw>,
    reading: ((event: Raw) => Instant) | TypeMap<Raw> | readonly TypeMap<Raw>[],
  ): this {
    checkFeed(feed);
    if (typeof reading === 'function') return this.#addInput(feed, { timeOf: reading, typeMaps: [] });
    return this.#addInput(feed, { typeMaps: [reading].flat() as readonly TypeMap<Raw>[] });
  }

  /**
   * The events of a type in all inputs, from the start of the playback: hot, and shared by everyone who requests the
   * same type.
   *
   * @param type an event of an event source, a class, an event of a provider, or a condition
   */
  getObservable<const Type extends NamedType>(type: Type): Observable<OccurrenceOf<Type>>;
  getObservable<Event, Chosen extends Event>(type: (event: Event) => event is Chosen): Observable<Chosen>;
  getObservable<Event = PlayedEvent>(type: EventPredicate<Event>): Observable<Event>;
  getObservable(type: EventType): Observable<unknown> {
    let observable = this.#observables.get(type);
    if (observable === undefined) {
      observable = isPredicate(type)
        ? this.#everything().pipe(filter(type as EventPredicate<unknown>))
        : this.#occurrencesOf(type);
      this.#observables.set(type, observable);
    }
    return observable;
  }

  /** The events of several types in order, with their times; without types, of all. */
  getAll<const Types extends readonly NamedType[]>(
    ...types: Types
  ): Observable<Timestamped<Types extends readonly [] ? unknown : OccurrenceOf<Types[number]>>> {
    const timeline = new Timeline<Types extends readonly [] ? unknown : OccurrenceOf<Types[number]>>();
    for (const type of types) this.#demultiplexer.add(type, timeline);
    if (types.length === 0) this.#demultiplexer.addForAll(timeline);
    return timeline.events;
  }

  /** A list that fills with the observable's values while the playback runs. */
  bufferOutput<Value>(observable: Observable<Value>): Value[] {
    const values: Value[] = [];
    // The error goes to whoever awaits the playback.
    observable.subscribe({ next: (value) => values.push(value), error: () => {} });
    return values;
  }

  /** Runs the playback and counts the events of each type. */
  async typeOccurrenceStatistics<const Type extends NamedType>(
    types: readonly Type[],
  ): Promise<Map<Type, number>> {
    const counts = new Map<Type, number>();
    for (const type of types) {
      counts.set(type, 0);
      const count = () => counts.set(type, (counts.get(type) as number) + 1);
      this.getObservable(type).subscribe({ next: count, error: () => {} });
    }
    await this.run();
    return counts;
  }

  /**
   * Plays to the end of all inputs.
   *
   * @throws the first error of an input, which the observers also get
   */
  async run(): Promise<void> {
    await this.start().finished;
  }

  /**
   * Starts the playback and returns; from now on, nothing that an observable pushes is missed.
   *
   * @throws PlaybackError if no input has been added, or it has already been started
   */
  start(): RunningPlayback {
    this.#checkNotStarted('be played again');
    if (this.#inputs.length === 0) throw new PlaybackError('No input sequences were added to the Playback.');
    this.#isStarted = true;
    const run = this.#newRun();
    const finished = this.#play(run);
    // If the promise is not awaited, errors still reach the observers.
    finished.catch(() => {});
    const close = () => void run.close();
    return { finished, close, [Symbol.dispose]: close };
  }

  async #play(run: InputRun): Promise<void> {
    const startedAt = performance.now();
    try {
      await run.run(this.#deliver);
      this.#demultiplexer.complete();
      this.scheduler.finish();
    } catch (error) {
      this.#demultiplexer.error(error);
      throw error;
    } finally {
      await run.close();
      this.#executionDuration = performance.now() - startedAt;
    }
  }

  readonly #deliver: Deliver = (event, time, sinks) => {
    this.scheduler.advanceTo(time);
    for (const sink of sinks) sink.next(event, time);
  };

  #newRun(): InputRun {
    const [first, ...others] = this.#inputs as [Input, ...Input[]];
    if (others.length > 0) {
      const inputs = this.#inputs.map(({ feed, deserializer }) => ({
        batches: batchesOf(feed),
        deserializer,
      }));
      return new Merge(inputs, this.#maxWaitMs);
    }
    return isSubscribable(first.feed)
      ? new SoloPush(first.feed, first.deserializer)
      : new SoloPull(batchesOf(first.feed), first.deserializer);
  }

  #addInput<Raw>(feed: EventFeed<Raw> | BatchFeed<Raw>, reading: Reading<Raw>): this {
    this.#checkNotStarted('be given more inputs');
    const range = { startTime: this.#startTime, endTime: this.#endTime };
    const deserializer = new Deserializer(reading, this.#demultiplexer, range);
    this.#inputs.push({ feed, deserializer } as Input);
    return this;
  }

  #occurrencesOf(type: NamedType): Observable<unknown> {
    const subject = new Subject<unknown>();
    this.#demultiplexer.add(type, subject);
    return subject.asObservable();
  }

  #everything(): Observable<unknown> {
    if (this.#all === undefined) {
      this.#all = new Subject();
      this.#demultiplexer.addForAll(this.#all);
    }
    return this.#all;
  }

  #checkNotStarted(what: string): void {
    if (this.#isStarted) throw new PlaybackError(`A playback that has been started cannot ${what}.`);
  }
}
