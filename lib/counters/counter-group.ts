/** The counters of one event source, and their subscribers. */
import { deliverTo, type Subscriber } from '../listen/audience.ts';
import { timestamp } from '../listen/timestamp.ts';
import type { Listenable } from '../listen/written-event.ts';
import { type Arguments, type Collection, Collections, MAX_MILLISECONDS } from './collections.ts';
import { CounterEvents, CounterPayload, type MeanPayload, type SumPayload } from './counter-payload.ts';

/** What one subscriber has not yet received from one counter. */
export interface Reading {
  /**
   * The values of the interval that ends; undefined if they are not available.
   *
   * @param series as in the event
   */
  take(intervalSec: number, series: string): MeanPayload | SumPayload | undefined;
  end(): void;
}

export interface GroupedCounter {
  /** Starts counting for another subscriber. */
  read(): Reading;
}

const groups = new WeakMap<Listenable, CounterGroup>();

/** @throws TypeError if it is not an event source */
export function counterGroup(source: Listenable): CounterGroup {
  const known = typeof source === 'object' && source !== null ? groups.get(source) : undefined;
  if (known !== undefined) return known;
  const group = new CounterGroup(source);
  groups.set(source, group);
  return group;
}

export class CounterGroup {
  readonly #counters = new Set<GroupedCounter>();
  readonly #collections: Collections<CounterCollection>;

  constructor(source: Listenable) {
    const events = new CounterEvents();
    this.#collections = new Collections(source, (subscriber, args) => {
      const milliseconds = intervalOf(args);
      return milliseconds === undefined
        ? undefined
        : new CounterCollection(source, subscriber, milliseconds, this.#counters, events);
    });
  }

  add(counter: GroupedCounter): void {
    this.#counters.add(counter);
    for (const collection of this.#collections.all) collection.add(counter);
  }

  remove(counter: GroupedCounter): void {
    this.#counters.delete(counter);
    for (const collection of this.#collections.all) collection.remove(counter);
  }
}

class CounterCollection implements Collection {
  readonly milliseconds: number;
  readonly #source: Listenable;
  readonly #subscriber: Subscriber;
  readonly #readings = new Map<GroupedCounter, Reading>();
  readonly #counters: Iterable<GroupedCounter>;
  readonly #events: CounterEvents;
  #since = performance.now();
  /** Reading a counter can call code that makes the subscriber leave. */
  #isOver = false;

  constructor(
    source: Listenable,
    subscriber: Subscriber,
    milliseconds: number,
    counters: Iterable<GroupedCounter>,
    events: CounterEvents,
  ) {
    this.#source = source;
    this.#subscriber = subscriber;
    this.milliseconds = milliseconds;
    this.#counters = counters;
    this.#events = events;
  }

  start(): void {
    for (const counter of this.#counters) this.add(counter);
  }

  add(counter: GroupedCounter): void {
    if (this.#isOver || this.#readings.has(counter)) return;
    const reading = counter.read();
    if (this.#isOver) reading.end();
    else this.#readings.set(counter, reading);
  }

  remove(counter: GroupedCounter): void {
    this.#readings.get(counter)?.end();
    this.#readings.delete(counter);
  }

  collect(): void {
    const now = performance.now();
    const intervalSec = (now - this.#since) / 1000;
    this.#since = now;
    const series = `Interval=${this.milliseconds}`;
    for (const reading of [...this.#readings.values()]) {
      const counter = reading.take(intervalSec, series);
      if (counter === undefined) continue;
      const schema = this.#events.of(counter);
      const payload = new CounterPayload(counter);
      deliverTo(this.#subscriber, this.#source, schema, payload, undefined, undefined, timestamp());
    }
  }

  end(): void {
    this.#isOver = true;
    for (const reading of this.#readings.values()) reading.end();
    this.#readings.clear();
  }
}

/** Milliseconds; undefined if no counters are requested. In single precision, as in .NET and its tools. */
function intervalOf({ EventCounterIntervalSec: seconds = '' }: Arguments): number | undefined {
  const milliseconds = Math.trunc(Math.fround(Math.fround(Number(seconds)) * 1000));
  return milliseconds >= 1 && milliseconds <= MAX_MILLISECONDS ? milliseconds : undefined;
}
