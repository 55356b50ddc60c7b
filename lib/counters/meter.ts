/** Meters: instruments whose values are told for each set of tags, as .NET's System.Diagnostics.Metrics has them. */

import { checkOptionNames } from '../source/definition-checks.ts';
import { DefinitionError } from '../source/definition-error.ts';
import { defineEventSource } from '../source/event-source.ts';
import { Collections } from './collections.ts';
import type { Demand } from './demand.ts';
import {
  definedTags,
  Instrument,
  type InstrumentOptions,
  type InstrumentType,
  type Measurement,
  type Tags,
} from './instrument.ts';
import { MeterCollection } from './meter-collection.ts';
import { METRICS_PROVIDER } from './meter-events.ts';

const meters = new Set<Meter>();
let collections: Collections<MeterCollection> | undefined;

/** Defines the event source with the first meter. */
function meterCollections(): Collections<MeterCollection> {
  if (collections === undefined) {
    const source = defineEventSource(METRICS_PROVIDER, {});
    collections = new Collections(source, (subscriber, args, request) =>
      args.Metrics === undefined ? undefined : new MeterCollection(source, subscriber, args, request, meters),
    );
  }
  return collections;
}

type Observed = () => number | readonly Measurement[];

/** What only grows. Costs about what a function call costs while nobody asks. */
export interface Counter {
  /** Whether somebody asks. */
  readonly enabled: boolean;
  add(value: number, tags?: Tags): void;
}

/** What grows and shrinks; `add` takes negative values, too. Costs what a counter does. */
export interface UpDownCounter {
  /** Whether somebody asks. */
  readonly enabled: boolean;
  add(value: number, tags?: Tags): void;
}

/** What is told by its quantiles. Costs about what a function call costs while nobody asks. */
export interface Histogram {
  /** Whether somebody asks. */
  readonly enabled: boolean;
  record(value: number, tags?: Tags): void;
}

/** What is told by its last value. Costs what a histogram does. */
export interface Gauge {
  /** Whether somebody asks. */
  readonly enabled: boolean;
  record(value: number, tags?: Tags): void;
}

/** What applications have of an instrument. Classes, because V8 makes calls of literals' functions dearer. */
class Handle {
  protected readonly instrument: Instrument;

  constructor(instrument: Instrument) {
    this.instrument = instrument;
  }

  get enabled(): boolean {
    return this.instrument.enabled;
  }
}

class Adding extends Handle implements Counter, UpDownCounter {
  // Not methods: applications may take them from the instrument.
  readonly add = (value: number, tags?: Tags): void => this.instrument.record(value, tags);
}

class Recording extends Handle implements Histogram, Gauge {
  readonly record = (value: number, tags?: Tags): void => this.instrument.record(value, tags);
}

export interface MeterOptions {
  readonly version?: string;
  /** Of the meter itself: told with the description of each of its instruments, not with values. */
  readonly tags?: Tags;
}

export class Meter {
  readonly name: string;
  readonly version: string;
  /** See `tagsText`. @internal */
  readonly tags: string;
  readonly #instruments: Instrument[] = [];
  readonly #demands: Demand[] = [];

  /** @throws DefinitionError */
  constructor(name: string, options: MeterOptions = {}) {
    this.name = nonEmpty('Meter', name);
    checkOptionNames(name, options, ['version', 'tags']);
    const { version = '', tags } = options;
    this.version = String(version);
    this.tags = definedTags(name, tags);
    meterCollections();
    meters.add(this);
  }

  /** @internal */
  get instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  /** @internal */
  get demands(): readonly Demand[] {
    return this.#demands;
  }

  /** Has something observed while somebody asks for the meter. @internal */
  accompany(demand: Demand): void {
    this.#demands.push(demand);
    if (meters.has(this)) for (const collection of meterCollections().all) collection.accompany(this, demand);
  }

  /** What only grows. */
  createCounter(name: string, options?: InstrumentOptions): Counter {
    return this.#adding('Counter', name, options);
  }

  /** What grows and shrinks. */
  createUpDownCounter(name: string, options?: InstrumentOptions): UpDownCounter {
    return this.#adding('UpDownCounter', name, options);
  }

  /** What is told by its quantiles, each right within half a percent. */
  createHistogram(name: string, options?: InstrumentOptions): Histogram {
    return this.#recording('Histogram', name, options);
  }

  /** The last value. */
  createGauge(name: string, options?: InstrumentOptions): Gauge {
    return this.#recording('Gauge', name, options);
  }

  /** @param observe the total, called once for each subscriber and interval */
  createObservableCounter(name: string, observe: Observed, options?: InstrumentOptions): void {
    this.#create('ObservableCounter', name, options, observe);
  }

  createObservableUpDownCounter(name: string, observe: Observed, options?: InstrumentOptions): void {
    this.#create('ObservableUpDownCounter', name, options, observe);
  }

  createObservableGauge(name: string, observe: Observed, options?: InstrumentOptions): void {
    this.#create('ObservableGauge', name, options, observe);
  }

  /** Nobody is told of its instruments any more. .NET: Dispose. */
  close(): void {
    if (!meters.delete(this)) return;
    for (const collection of meterCollections().all) collection.remove(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #adding(type: InstrumentType, name: string, options?: InstrumentOptions): Counter {
    return new Adding(this.#create(type, name, options));
  }

  #recording(type: InstrumentType, name: string, options?: InstrumentOptions): Histogram {
    return new Recording(this.#create(type, name, options));
  }

  #create(
    type: InstrumentType,
    name: string,
    options: InstrumentOptions = {},
    observe?: Observed,
  ): Instrument {
    const instrument = new Instrument(
      type,
      this.name,
      nonEmpty(this.name, name),
      options,
      observe && (() => measurements(observe())),
    );
    this.#instruments.push(instrument);
    if (meters.has(this)) for (const collection of meterCollections().all) collection.add(this, instrument);
    return instrument;
  }
}

function measurements(observed: number | readonly Measurement[]): readonly Measurement[] {
  return typeof observed === 'number' ? [{ value: observed }] : observed;
}

function nonEmpty(place: string, name: string): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new DefinitionError(place, `a name is a string that is not empty, not ${String(name)}.`);
}
