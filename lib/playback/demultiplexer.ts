/** Routes each event to the queries for its kind, and finds out quickly if there are none. */
import { append } from '../base/append.ts';
import type { Nanoseconds } from '../trace/trace-event.ts';
import {
  type EventClass,
  type EventPattern,
  eventPatternOf,
  isEventClass,
  type NamedType,
  unknownType,
} from './event-type.ts';

/** The events of one query go here. */
export interface Sink {
  next(event: unknown, time: Nanoseconds): void;
  complete(): void;
  error(error: unknown): void;
}

export type Sinks = readonly Sink[];
const NOBODY: Sinks = Object.freeze([]);

interface PatternSinks {
  readonly pattern: EventPattern;
  readonly sinks: Sinks;
}

/** What an event is matched by, as far as it has it. */
interface Matchable {
  readonly provider?: unknown;
  readonly providerGuid?: unknown;
  readonly name?: unknown;
  readonly id?: unknown;
  readonly version?: unknown;
}

export class Demultiplexer {
  /** The requested classes, in order. */
  readonly classes = new Set<EventClass>();
  readonly #sinks = new Set<Sink>();
  /** The key is the class's prototype. */
  readonly #byClass = new Map<unknown, Sink[]>();
  readonly #ofAll: Sink[] = [];
  readonly #byName = new Map<unknown, PatternSinks[]>();
  readonly #byId = new Map<unknown, PatternSinks[]>();
  /** What `#classSinks` has found. */
  readonly #byPrototype = new Map<unknown, Sinks>();
  /** Its last result is kept: events of one class tend to come in a row. */
  #lastPrototype: unknown;
  #lastSinks = NOBODY;

  /** Makes a class known, so that type maps create its instances even without a query for it. */
  know(type: EventClass): void {
    this.classes.add(type);
  }

  /** @throws PlaybackError if the type is invalid */
  add(type: NamedType, sink: Sink): void {
    const pattern = eventPatternOf(type);
    if (pattern !== undefined) {
      if (pattern.name !== undefined) append(this.#byName, pattern.name, { pattern, sinks: [sink] });
      if (pattern.id !== undefined) append(this.#byId, pattern.id, { pattern, sinks: [sink] });
    } else if (isEventClass(type)) {
      this.know(type);
      append(this.#byClass, type.prototype, sink);
    } else {
      throw unknownType(type);
    }
    this.#added(sink);
  }

  /** A sink for every event. */
  addForAll(sink: Sink): void {
    this.#ofAll.push(sink);
    this.#added(sink);
  }

  /**
   * The sinks of the event, each once: those that requested it by name or number, then by its class, then by its base
   * classes, then all events.
   */
  sinksOf(event: unknown): Sinks {
    const named = this.#namedSinks(event as Matchable);
    const others = this.#classSinks(event);
    if (named.length === 0) return others;
    return others.length === 0 ? named : union(named, others);
  }

  complete(): void {
    for (const sink of this.#sinks) sink.complete();
  }

  error(error: unknown): void {
    for (const sink of this.#sinks) sink.error(error);
  }

  #added(sink: Sink): void {
    this.#sinks.add(sink);
    this.#byPrototype.clear();
    this.#lastPrototype = undefined;
  }

  #namedSinks(event: Matchable): Sinks {
    let sinks = NOBODY;
    if (this.#byName.size > 0) {
      for (const candidate of this.#byName.get(event.name) ?? NO_PATTERNS) {
        if (matches(candidate.pattern, event)) sinks = union(sinks, candidate.sinks);
      }
    }
    if (this.#byId.size > 0) {
      for (const candidate of this.#byId.get(event.id) ?? NO_PATTERNS) {
        if (matches(candidate.pattern, event)) sinks = union(sinks, candidate.sinks);
      }
    }
    return sinks;
  }

  #classSinks(event: unknown): Sinks {
    const prototype: unknown = Object.getPrototypeOf(event);
    if (prototype === this.#lastPrototype) return this.#lastSinks;
    let sinks = this.#byPrototype.get(prototype);
    if (sinks === undefined) {
      sinks = union(this.#sinksAlong(prototype), this.#ofAll);
      this.#byPrototype.set(prototype, sinks);
    }
    this.#lastPrototype = prototype;
    this.#lastSinks = sinks;
    return sinks;
  }

  #sinksAlong(prototype: unknown): Sinks {
    let sinks = NOBODY;
    for (let link = prototype; link !== null; link = Object.getPrototypeOf(link)) {
      sinks = union(sinks, this.#byClass.get(link) ?? NOBODY);
    }
    return sinks;
  }
}

const NO_PATTERNS: readonly PatternSinks[] = [];

/** The candidates were found by name and number. */
function matches({ providers, tracepointProvider, version }: EventPattern, event: Matchable): boolean {
  return (
    (version === undefined || version === event.version) &&
    (providers.includes(event.provider as string) ||
      (event.providerGuid === undefined
        ? event.provider === tracepointProvider
        : providers.includes(event.providerGuid as string)))
  );
}

/** Makes no new array if one side is empty: this runs for each event. */
function union(first: Sinks, second: Sinks): Sinks {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  return [...new Set([...first, ...second])];
}
